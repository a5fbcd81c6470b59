import { expect, it } from '@jest/globals';
import { receivedSignalEventSchema, type SignalEvent } from '@sigcast/contracts';
import { eventMessage, type IncomingMessage, parseEventAs, UnprocessableMessage } from '../src/index.ts';

const parseEvent = (message: IncomingMessage) => parseEventAs(message, receivedSignalEventSchema);

const event: SignalEvent = {
  id: 'evt_01J9ZQ6W8T3M5N7P9R1S3V5X7Z',
  type: 'signal.new',
  version: 1,
  occurred_at: '2026-01-01T00:00:00.000Z',
  rev: 1,
  data: {
    id: 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z',
    token: {
      symbol: 'TKN',
      name: 'Token',
      contract: '0x1',
      age_hours: 1,
      dex_paid: false,
      socials: { twitter: '', telegram: '', website: '' },
    },
    metrics: {
      mcap_entry: 100,
      mcap_current: 150,
      mcap_ath: 150,
      volume_24h: 1,
      holders: 2,
      liquidity: 3,
    },
    performance: { roi: 50, ath_roi: 50, status: 'active', time_to_ath_hours: 0 },
    type: 'new',
    is_premium: false,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  },
};

const incoming = (body: Buffer | string): IncomingMessage => ({
  id: 'm',
  routingKey: 'signal.new',
  body: Buffer.from(body),
  headers: {},
  redelivered: false,
});

it('a signal event as a message has its trace context beside it: its body is the event alone', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const message = eventMessage('signals.events', { ...event, traceparent });
  expect(message).toMatchObject({ traceparent, messageId: event.id });
  expect(JSON.parse(message.body.toString())).toEqual(event);
  expect(eventMessage('signals.events', event)).not.toHaveProperty('traceparent');
});

it('a signal event as a message is routed by its type, known by its id, and arrives as it was', () => {
  const message = eventMessage('signals.events', event);
  expect(message).toMatchObject({
    exchange: 'signals.events',
    routingKey: 'signal.new',
    messageId: event.id,
  });
  expect(parseEvent(incoming(message.body))).toEqual(event);
});

it('a signal event as a message says by its routing key alone that it is bulk, so that consumers of every version can read it', () => {
  const message = eventMessage('signals.events', event, 'bulk');
  expect(message).toEqual({ ...eventMessage('signals.events', event), routingKey: 'bulk.signal.new' });
});

it('a signal event as a message may have members that this version does not know: they are passed on, and not read', () => {
  const token = {
    ...event.data.token,
    chain: 'base',
    socials: { ...event.data.token.socials, discord: 'x' },
  };
  const newer = { ...event, source: 'y', data: { ...event.data, token, rank: { of: 'z' } } };
  const { body } = eventMessage('signals.events', newer);
  expect(JSON.parse(body.toString())).toEqual(newer);
  expect(parseEvent(incoming(body))).toEqual(event);
});

it('a signal event of an earlier version, with null for an unknown link, is read with an empty one', () => {
  const socials = { twitter: null, telegram: 'https://t.me/x', website: null };
  const older = { ...event, data: { ...event.data, token: { ...event.data.token, socials } } };
  expect(parseEvent(incoming(JSON.stringify(older))).data.token.socials).toEqual({
    twitter: '',
    telegram: 'https://t.me/x',
    website: '',
  });
});

it('a signal event says where its change comes from, and one of the release before, which does not, is read as well', () => {
  const change = {
    observed_at: '2026-01-01T00:00:00.000Z',
    source: 'tracker' as const,
    evidence: { rule: 'v1', observations: ['2025-12-31T23:50:00.000Z', '2026-01-01T00:00:00.000Z'] },
  };
  const { body } = eventMessage('signals.events', { ...event, change });
  expect(parseEvent(incoming(body))).toEqual({ ...event, change });
  expect(parseEvent(incoming(JSON.stringify(event)))).not.toHaveProperty('change');
});

it('a message that is not a signal event is never sent', () => {
  expect(() => eventMessage('signals.events', { ...event, rev: 0 })).toThrow();
});

it.each([
  ['no JSON', '{', 'not JSON'],
  ['another version', JSON.stringify({ ...event, version: 2 }), 'version'],
  ['an unknown type', JSON.stringify({ ...event, type: 'signal.other' }), 'type'],
  ['a bad signal', JSON.stringify({ ...event, data: { ...event.data, type: 'x' } }), 'data.type'],
  ['null', 'null', 'not a signal event'],
])(
  'a signal event as a message can not be processed with %s, and the reason names it',
  (_what, body, reason) => {
    expect(() => parseEvent(incoming(body))).toThrow(UnprocessableMessage);
    expect(() => parseEvent(incoming(body))).toThrow(reason);
  },
);
