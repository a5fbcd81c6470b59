import type { SignalEvent } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { eventPayload, fannedOutEventSchema } from '../src/domain/event-body.ts';
import { signalEvent } from './fixture.ts';

it('the body that subscribers get has the same bytes whether or not the event says where its change comes from', () => {
  const event = signalEvent('signal.winner');
  const change: SignalEvent['change'] = {
    observed_at: event.occurred_at,
    source: 'tracker',
    evidence: { rule: 'v1', observations: [event.occurred_at] },
  };
  const realizable = {
    rule: 'v1',
    roi: -3.89,
    entered_at: event.occurred_at,
    exited_at: null,
    exit: null,
  };
  const bodyOf = (given: SignalEvent) => JSON.stringify(eventPayload('signal.winner', given));
  const body = bodyOf({ ...event, change, realizable } as SignalEvent);
  expect(body).toBe(bodyOf(event));
  expect(Object.keys(JSON.parse(body) as object)).toEqual(['event', 'timestamp', 'data']);
});

it('an event is fanned out whatever a later version says of where its change comes from, and of the exit rule', () => {
  const event = signalEvent('signal.winner');
  const { change: _change, ...read } = event;
  const change = { source: 'somebody else', observed_at: null };
  expect(fannedOutEventSchema.parse({ ...event, change, realizable: { rule: 2 } })).toEqual(read);
});
