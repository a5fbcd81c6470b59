import { receivedSignalEventSchema, sampleOf, signalEventSchema } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { eventMessage, type IncomingMessage, parseEventAs, UnprocessableMessage } from '../src/index.ts';

const parseEvent = (message: IncomingMessage) => parseEventAs(message, receivedSignalEventSchema);

const event = sampleOf(signalEventSchema);

const incoming = (body: Buffer | string): IncomingMessage => ({
  id: 'm',
  routingKey: 'signal.new',
  body: Buffer.from(body),
  headers: {},
  redelivered: false,
});

it('the message of a signal event has the trace context outside of its body', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const message = eventMessage('signals.events', { ...event, traceparent });
  expect(message).toMatchObject({ traceparent, messageId: event.id });
  expect(JSON.parse(message.body.toString())).toEqual(event);
  expect(eventMessage('signals.events', event)).not.toHaveProperty('traceparent');
});

it('the message of a signal event has its type as routing key and its id as message id, and is read as the same event', () => {
  const message = eventMessage('signals.events', event);
  expect(message).toMatchObject({
    exchange: 'signals.events',
    routingKey: 'signal.new',
    messageId: event.id,
  });
  expect(parseEvent(incoming(message.body))).toEqual(event);
});

it('the message of a bulk event differs in its routing key alone', () => {
  const message = eventMessage('signals.events', event, 'bulk');
  expect(message).toEqual({ ...eventMessage('signals.events', event), routingKey: 'bulk.signal.new' });
});

it('unknown members of a signal event are published, and ignored by readers', () => {
  const token = {
    ...event.data.token,
    colour: 'blue',
    socials: { ...event.data.token.socials, discord: 'x' },
  };
  const newer = { ...event, source: 'y', data: { ...event.data, token, rank: { of: 'z' } } };
  const { body } = eventMessage('signals.events', newer);
  expect(JSON.parse(body.toString())).toEqual(newer);
  expect(parseEvent(incoming(body))).toEqual(event);
});

it('a signal event is read with the origin of its change', () => {
  const change = {
    observed_at: '2026-01-01T00:00:00.000Z',
    source: 'tracker' as const,
    evidence: { rule: 'v1', observations: ['2025-12-31T23:50:00.000Z', '2026-01-01T00:00:00.000Z'] },
  };
  const { body } = eventMessage('signals.events', { ...event, change });
  expect(parseEvent(incoming(body))).toEqual({ ...event, change });
});

it('publishing refuses what is not a signal event', () => {
  expect(() => eventMessage('signals.events', { ...event, rev: 0 })).toThrow();
});

it.each([
  ['no JSON', '{', 'not JSON'],
  ['another version', JSON.stringify({ ...event, version: 2 }), 'version'],
  ['an unknown type', JSON.stringify({ ...event, type: 'signal.other' }), 'type'],
  ['a bad signal', JSON.stringify({ ...event, data: { ...event.data, type: 'x' } }), 'data.type'],
  ['null', 'null', 'not a signal event'],
])(
  'a message with %s instead of a signal event can not be processed, and the reason names it',
  (_what, body, reason) => {
    expect(() => parseEvent(incoming(body))).toThrow(UnprocessableMessage);
    expect(() => parseEvent(incoming(body))).toThrow(reason);
  },
);
