import type { FeedEvent, SignalEvent, Webhook } from '@sigcast/contracts';
import { identitySigner, serve } from '@sigcast/http';
import { newId, silentLogger } from '@sigcast/runtime';
import { type EventSource, eventually, openEventSource } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

const large = { 'metrics.mcap_entry': { gte: 1_000_000 } };

/** An event whose signal meets {@link large}, or does not. */
function eventOf(size: 'large' | 'small', type: SignalEvent['type'] = 'signal.new'): SignalEvent {
  const event = signalEvent(type);
  const metrics = { ...event.data.metrics, mcap_entry: size === 'large' ? 2_000_000 : 50_000 };
  return { ...event, data: { ...event.data, metrics } };
}

const dataOf = <T>({ body }: { readonly body: unknown }) => (body as { data: T }).data;
const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
const inQuery = (filter: object) => encodeURIComponent(JSON.stringify(filter));
const deliveredTo = async (id: string) => {
  const found = await f.collections.deliveries.find({ subscription: id }).lean();
  return found.map(({ event_id }) => event_id).sort();
};

it('a subscription shows its filter as it was given, without one null, and a change leaves others alone', async () => {
  const filter = { any: [large, { 'token.symbol': { eq: 'a.b' } }], type: { in: ['new'] } };
  const hook = await f.subscribe('/shown', { filter });
  const shown = async () => dataOf<Webhook>(await hook.ask('get').expect(200)).filter;
  const patch = (body: object) => hook.ask('patch').send(body).expect(200);
  expect(await shown()).toEqual(filter);
  await patch({ description: 'other' });
  expect(await shown()).toEqual(filter);
  expect(dataOf(await patch({ filter: large }))).toMatchObject({ filter: large });
  expect(dataOf(await patch({ filter: null }))).toMatchObject({ filter: null });
  expect(await shown()).toBeNull();
});

it.each<[string, unknown, string]>([
  ['filter.metrics.mcap_entry.gtee', { 'metrics.mcap_entry': { gtee: 1 } }, 'did you mean gte?'],
  ['filter.any.0.origin.rule', { any: [{ 'origin.rule': { eq: 'v1' } }] }, 'events do not'],
  ['filter', {}, 'at least one condition'],
  ['filter', { 'token.name': { eq: 'x'.repeat(4_000) } }, 'at most 4,000 characters'],
])(
  'a subscription is refused by the path %s of what is wrong in its filter',
  async (field, filter, message) => {
    const hook = await f.subscribe('/refused');
    const url = `${f.receiver.url}/refused`;
    const made = f.as(newId('acct'), 'post', '/v1/webhooks').send({ url, events: ['signal.new'], filter });
    for (const asking of [made, hook.ask('patch').send({ filter })]) {
      const { body } = await asking.expect(400);
      const { details } = (body as { error: { details: object[] } }).error;
      expect(details).toEqual([{ field, message: expect.stringContaining(message) }]);
    }
  },
);

it('an event whose signal does not meet the filter makes no delivery, and an ordered subscription goes on behind it', async () => {
  const hook = await f.subscribe('/filtered', { filter: large, ordered: true });
  const beside = await f.subscribe('/beside');
  await f.startWorker();
  const events = [eventOf('small'), eventOf('large'), eventOf('small'), eventOf('large')];
  for (const event of events) await f.publish(event);
  await eventually(() => expect(beside.receivedIds()).toHaveLength(4));
  const wanted = idsOf(events.filter(({ data }) => data.metrics.mcap_entry > 1_000_000));
  await eventually(() => expect([...hook.receivedIds()].sort()).toEqual([...wanted].sort()));
  expect(await deliveredTo(hook.id)).toEqual([...wanted].sort());
});

it('a changed filter applies to the events after the change', async () => {
  const hook = await f.subscribe('/changed', { filter: large });
  await f.startWorker();
  const [first, second, third] = [eventOf('large'), eventOf('small'), eventOf('large')];
  const publish = async (event: SignalEvent) => {
    await f.publish(event);
    await eventually(async () =>
      expect(await f.collections.events.findById(event.id).lean()).toMatchObject({ fanned_out: true }),
    );
  };
  await publish(first);
  await hook
    .ask('patch')
    .send({ filter: { 'metrics.mcap_entry': { lt: 1_000_000 } } })
    .expect(200);
  await publish(second);
  await publish(third);
  await hook.ask('patch').send({ filter: null }).expect(200);
  expect(await deliveredTo(hook.id)).toEqual([first.id, second.id].sort());
});

it('a recovery goes by the filter as it is now, for events without a delivery and for failed deliveries', async () => {
  const hook = await f.subscribe('/recovered', { events: ['signal.rugged'], filter: large });
  await f.startWorker({ retryDelaysMs: [] });
  f.receiver.script('/recovered', 500, 500);
  const failed = [eventOf('large', 'signal.rugged'), eventOf('large', 'signal.rugged')];
  await Promise.all(failed.map((event) => f.publish(event)));
  await eventually(async () => {
    const query = { subscription: hook.id, status: 'failed' as const };
    expect(await f.collections.deliveries.countDocuments(query)).toBe(2);
  });
  await f.endWorkers();
  const missed = [eventOf('small', 'signal.rugged'), eventOf('large', 'signal.rugged')];
  await f.storeEvents(...missed);
  const wanted = [failed[0]?.data.id, missed[0]?.data.id];
  await hook
    .ask('patch')
    .send({ filter: { id: { in: wanted } } })
    .expect(200);
  const since = failed[0]?.occurred_at;
  await hook.ask('post', 'recover').send({ since }).expect(200);
  // Does what the request has had no time for.
  await f.startWorker();
  await eventually(async () => {
    const { recovery } = dataOf<Webhook>(await hook.ask('get').expect(200));
    expect(recovery).toMatchObject({ status: 'completed', retried: 1, opened: 1 });
  });
  const recovered = await f.collections.deliveries
    .find({ subscription: hook.id, status: { $ne: 'failed' } })
    .lean();
  expect(recovered.map(({ signal_id }) => signal_id).sort()).toEqual([...wanted].sort());
});

it('a filter holds back no event about a webhook', async () => {
  const account = newId('acct');
  const never = { id: { eq: 'none' } };
  const watching = await f.subscribe('/watching', { account, events: ['webhook.disabled'], filter: never });
  const gone = await f.subscribe('/gone', { account, events: ['signal.dead'] });
  f.receiver.script('/gone', 410);
  await f.startWorker();
  await f.publish(eventOf('large', 'signal.dead'));
  await eventually(() => expect(gone.received()).toHaveLength(1));
  await eventually(() => expect(watching.received()).toHaveLength(1));
});

it('GET /v1/events with a filter has exactly the events whose signals meet it, in both orders, page by page', async () => {
  const account = newId('acct');
  const type = 'signal.winner';
  const events = Array.from({ length: 30 }, (_, n) => eventOf(n % 3 === 0 ? 'large' : 'small', type));
  for (const event of events) await f.storeEvents(event);
  const wanted = idsOf(events.filter(({ data }) => data.metrics.mcap_entry > 1_000_000));
  for (const order of ['asc', 'desc'] as const) {
    const found: string[] = [];
    const query = `/v1/events?filter=${inQuery(large)}&events=${type}&limit=4&order=${order}`;
    for (let after = ''; ; ) {
      const { body } = await f.as(account, 'get', `${query}${after}`).expect(200);
      const { data, meta } = body as {
        data: FeedEvent[];
        meta: { next_cursor: string; has_more: boolean };
      };
      found.push(...idsOf(data));
      after = `&after=${meta.next_cursor}`;
      if (!meta.has_more) break;
    }
    expect(found).toEqual(order === 'asc' ? wanted : wanted.toReversed());
  }
});

it('POST /v1/filters/try counts what a filter lets through of the newest events, and says since when', async () => {
  const events = ['large', 'small', 'large'] as const;
  await f.storeEvents(...events.map((size) => eventOf(size, 'signal.dead')));
  const ask = (body: object) => f.as(newId('acct'), 'post', '/v1/filters/try').send(body);
  const ids = { id: { in: ['none'] } };
  expect(dataOf(await ask({ filter: ids, events: ['signal.dead'], types: ['wallet'] }).expect(200))).toEqual({
    matched: 0,
    tried: 0,
    since: null,
  });
  const found = dataOf(await ask({ filter: large, events: ['signal.dead'] }).expect(200));
  const stored = await f.collections.events.find({ type: 'signal.dead' }).sort({ sequence: 1 }).lean();
  const isLarge = ({ body }: { body: string }) => body.includes('"mcap_entry":2000000');
  expect(found).toEqual({
    matched: stored.filter(isLarge).length,
    tried: stored.length,
    since: stored[0]?.occurred_at.toISOString(),
  });
  await ask({ filter: { 'origin.rule': { exists: true } } }).expect(400);
  await ask({ events: ['signal.dead'] }).expect(400);
});

it('GET /v1/stream with a filter brings the events whose signals meet it, also those of while it was away, and its id moves past others', async () => {
  await using scope = new AsyncDisposableStack();
  const base = await serve(f.app, { host: '127.0.0.1', port: 0 }, silentLogger(), scope);
  const sign = identitySigner('gateway', f.identityKey, 'webhooks');
  const headers = { 'x-sigcast-identity': sign({ subject: newId('acct'), scopes: [], ttlS: 60 }) };
  const open = (lastEventId?: string): Promise<EventSource> =>
    openEventSource(`${base}/v1/stream?events=signal.new&filter=${inQuery(large)}`, {
      ...headers,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    });
  const happen = async (...sizes: ('large' | 'small')[]) => {
    const events = sizes.map((size) => eventOf(size));
    for (const event of events) await f.storeEvents(event);
    return idsOf(events.filter(({ data }) => data.metrics.mcap_entry > 1_000_000));
  };
  const first = scope.use(await open());
  const begun = first.lastEventId;
  const wanted = await happen('small', 'large', 'small');
  await eventually(() => expect(idsOf(first.events)).toEqual(wanted));
  await eventually(() => expect(first.lastEventId).toMatch(/^pos_/));
  expect(first.lastEventId).not.toBe(begun);
  await first.close();
  const missed = await happen('large', 'small', 'large');
  const second = scope.use(await open(first.lastEventId));
  const next = await happen('large');
  await eventually(() => expect(idsOf(second.events)).toEqual([...missed, ...next]));
  await second.close();
});
