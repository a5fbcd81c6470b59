import { readAs, recorded } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { revisionEventSchema } from '../src/domain/revision.ts';
import { signalsApi, trackedPageSchema } from '../src/operator/signals-api.ts';
import { createdMs, eventOf, signalId } from './events.ts';
import { pollerRequests } from './poller-requests.ts';
import { readerToken, startSignalsService } from './signals-service.ts';

const file = (name: string) => new URL(`../consumes/${name}.json`, import.meta.url);

/** The requests to the signals service, and all fields that are read of the answers. */
const expectations = [
  { asks: 'GET /internal/v1/signals', as: 'reader', gets: 200, reads: readAs(trackedPageSchema) },
  {
    asks: 'GET /internal/v1/signals?after={signal_id}',
    as: 'reader',
    gets: 200,
    reads: readAs(trackedPageSchema),
  },
  // The answer for a token without the scope.
  { asks: 'GET /internal/v1/signals', as: 'powerless', gets: 403, reads: true },
];

describe('what the tracker records of others', () => {
  it('has the fields that it reads of events, and no others', () => {
    const present = { 'signal.*': readAs(revisionEventSchema) };
    expect(recorded(file('events'), present)).toEqual(present);
    const members = ['change', 'data', 'occurred_at', 'rev', 'type', 'version'];
    expect(Object.keys(revisionEventSchema.shape).sort()).toEqual(members);
  });

  it('has the requests to the signals service, and the fields that it reads of the answers', () => {
    const all = [...expectations, ...pollerRequests];
    expect(recorded(file('signals'), all)).toEqual(all);
  });

  it('has every request that it makes of the signals service', async () => {
    await using resources = new AsyncDisposableStack();
    const service = await startSignalsService(resources, 1_000);
    service.events = [eventOf({ signal: 1, rev: 1, atMs: createdMs, mcap: 1 })];
    const api = signalsApi({ url: service.url, token: readerToken });
    expect(await api.page(undefined)).toMatchObject({
      states: [{ id: signalId(1), rev: 1 }],
      nextAfter: null,
    });
    expect(await api.page(signalId(1))).toEqual({ states: [], nextAfter: null });
    const asked = service.asked.map((each) => each.replace(signalId(1), '{signal_id}'));
    expect(new Set(asked)).toEqual(new Set(expectations.map(({ asks }) => asks)));
  });
});
