import { eventListSchema, type FeedEvent } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mongoEventFeed } from '../src/store/event-feed.ts';
import { eventLog } from '../src/store/event-log.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { listedEvent } from './fixtures/listed-event.ts';

let f: Fixture;
beforeEach(async () => {
  f = await fixture();
});
afterEach(() => f[Symbol.asyncDispose]());

type Page = { data: FeedEvent[]; meta: { next_cursor: string; has_more: boolean } };
type Refusal = { error: { details: { field: string; message: string }[] } };

const get = (query: string) => f.as('acct_reader', 'get', `/v1/events${query}`);
async function page(query = ''): Promise<Page> {
  const answer = await get(query).expect(200);
  eventListSchema.parse(answer.body);
  return answer.body as Page;
}
async function refusal(query: string): Promise<Refusal['error']['details'][number] | undefined> {
  const answer = await get(query).expect(400);
  return (answer.body as Refusal).error.details[0];
}
async function appendListed(from: number, to: number): Promise<void> {
  const { append, saveLast } = eventLog(f.collections, Date.now);
  for (let n = from; n <= to; n += 1) await append(listedEvent(n));
  await saveLast();
}
const idsOf = ({ data }: Page) => data.map(({ id }) => id);
const listedIds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => listedEvent(from + i).id);

it('GET /v1/events lists all events from the oldest on, page by page, and its last cursor finds later events', async () => {
  await appendListed(1, 5);
  const first = await page('?limit=3');
  expect(idsOf(first)).toEqual(listedIds(1, 3));
  expect(first.meta.has_more).toBe(true);
  const second = await page(`?limit=3&after=${first.meta.next_cursor}`);
  expect(idsOf(second)).toEqual(listedIds(4, 5));
  expect(second.meta.has_more).toBe(false);
  const none = await page(`?after=${second.meta.next_cursor}`);
  expect(none).toMatchObject({ data: [], meta: second.meta });
  await appendListed(6, 7);
  expect(idsOf(await page(`?after=${none.meta.next_cursor}`))).toEqual(listedIds(6, 7));
});

it('GET /v1/events/{event_id} gives the event with that id as the list has it, and 404 for any other id', async () => {
  await appendListed(1, 3);
  const [, second] = (await page()).data;
  expect((await get(`/${second?.id}`).expect(200)).body).toEqual({ success: true, data: second });
  for (const id of [listedEvent(4).id, 'latest', 'x']) await get(`/${id}`).expect(404);
});

it('the bounds of an empty feed are right when its first event arrives while they are read', async () => {
  const feed = new Proxy(f.collections.feed, {
    get: (model, name) =>
      name === 'findById'
        ? (id: string) => ({
            lean: async () => {
              await appendListed(1, 1);
              return model.findById(id).lean();
            },
          })
        : (Reflect.get(model, name) as unknown),
  });
  expect(await mongoEventFeed({ ...f.collections, feed }).bounds()).toEqual({ start: 0, end: 1 });
});

it('GET /v1/events goes on behind the id of an event, and behind `latest`, also in an empty feed', async () => {
  const empty = await page('?after=latest');
  expect(empty).toMatchObject({ data: [], meta: { has_more: false } });
  await appendListed(1, 4);
  expect(idsOf(await page(`?after=${empty.meta.next_cursor}`))).toEqual(listedIds(1, 4));
  expect(idsOf(await page(`?after=${listedEvent(2).id}`))).toEqual(listedIds(3, 4));
  const latest = await page('?after=latest');
  expect(latest.data).toEqual([]);
  await appendListed(5, 5);
  expect(idsOf(await page(`?after=${latest.meta.next_cursor}`))).toEqual(listedIds(5, 5));
});

it('GET /v1/events filters by event and signal type, and its cursor moves on where no event passes', async () => {
  await appendListed(0, 23);
  const winners = await page('?type=signal.winner,signal.dead&signal_type=3d');
  const expected = listedIds(0, 23).filter((_, n) => (n % 4 === 1 || n % 4 === 2) && n % 6 === 1);
  expect(idsOf(winners)).toEqual(expected);

  // One read scans five events only, as it scans only a part of a long feed.
  const feed = mongoEventFeed(f.collections, 5);
  const { end } = await feed.bounds();
  const found: string[] = [];
  let [after, more, answers] = [0, true, 0];
  while (more) {
    const part = await feed.read({ after, end, limit: 10 }, { events: ['signal.winner'], types: ['3d'] });
    found.push(...part.events.map(({ id }) => id));
    ({ upTo: after, more } = part);
    answers += 1;
  }
  expect(answers).toBe(5);
  expect(found).toEqual(listedIds(0, 23).filter((_, n) => n % 12 === 1));
});

it('GET /v1/events lists the events of one signal in their order, page by page, however much of the feed lies between them', async () => {
  const { append, saveLast } = eventLog(f.collections, Date.now);
  const signal = listedEvent(0).signalId;
  for (let n = 0; n < 24; n += 1) {
    await append(n % 6 === 0 ? { ...listedEvent(n), signalId: signal } : listedEvent(n));
  }
  await saveLast();
  const expected = [0, 6, 12, 18].map((n) => listedEvent(n).id);
  const all = await page(`?signal_id=${signal}`);
  expect(idsOf(all)).toEqual(expected);
  expect(all.meta.has_more).toBe(false);
  const first = await page(`?signal_id=${signal}&limit=3`);
  expect(idsOf(first)).toEqual(expected.slice(0, 3));
  expect(first.meta.has_more).toBe(true);
  const rest = await page(`?signal_id=${signal}&limit=3&after=${first.meta.next_cursor}`);
  expect(idsOf(rest)).toEqual(expected.slice(3));
  expect(rest.meta).toEqual(all.meta);
  expect(idsOf(await page(`?signal_id=${signal}&type=signal.dead`))).toEqual([expected[1], expected[3]]);
  expect(idsOf(await page(`?signal_id=${listedEvent(30).signalId}`))).toEqual([]);

  // One read scans five events only, as it scans only a part of a long feed.
  const feed = mongoEventFeed(f.collections, 5);
  const { start, end } = await feed.bounds();
  const part = await feed.read({ after: start, end, limit: 10 }, { signal });
  expect(part.events.map(({ id }) => id)).toEqual(expected);
  expect(part).toMatchObject({ upTo: end, more: false });
});

it('GET /v1/events takes the names of a stream’s filters, events and types, and type and signal_type as other names of them', async () => {
  await appendListed(0, 23);
  const expected = listedIds(0, 23).filter((_, n) => n % 12 === 1);
  for (const query of ['?events=signal.winner&types=3d', '?type=signal.winner&signal_type=3d']) {
    expect(idsOf(await page(query))).toEqual(expected);
  }
});

it('GET /v1/events with order=desc gives the newest events first and goes on to the oldest, also with filters and from any cursor', async () => {
  await appendListed(0, 23);
  const newestFirst = listedIds(0, 23).reverse();
  const first = await page('?order=desc&limit=20');
  expect(idsOf(first)).toEqual(newestFirst.slice(0, 20));
  expect(first.meta.has_more).toBe(true);
  await appendListed(24, 24); // a newer event changes nothing of what follows
  const rest = await page(`?order=desc&after=${first.meta.next_cursor}`);
  expect(idsOf(rest)).toEqual(newestFirst.slice(20));
  expect(rest.meta.has_more).toBe(false);
  expect(await page(`?order=desc&after=${rest.meta.next_cursor}`)).toMatchObject({
    data: [],
    meta: rest.meta,
  });
  expect(idsOf(await page(`?order=desc&limit=2&after=${listedEvent(9).id}`))).toEqual(
    listedIds(7, 8).reverse(),
  );
  expect(idsOf(await page('?order=desc&limit=1&after=latest'))).toEqual(listedIds(24, 24));
  const signal = listedEvent(3).signalId;
  expect(idsOf(await page(`?order=desc&signal_id=${signal}`))).toEqual([listedEvent(3).id]);

  // One read scans five events only.
  const feed = mongoEventFeed(f.collections, 5);
  const { start, end } = await feed.bounds();
  const found: string[] = [];
  let [upTo, more] = [end, true];
  while (more) {
    const part = await feed.read({ after: start, end: upTo, limit: 10, order: 'desc' }, { types: ['3d'] });
    found.push(...part.events.map(({ id }) => id));
    ({ upTo, more } = part);
  }
  expect(found).toEqual(
    listedIds(0, 24)
      .filter((_, n) => n % 6 === 1)
      .reverse(),
  );
});

it('GET /v1/events refuses a bad parameter with 400 and its name', async () => {
  const cases = {
    '?after=yesterday': 'after',
    '?after=pos_1000': 'after',
    '?after=pos_-1': 'after',
    '?after=evt_00000000000000000000000000': 'after',
    '?after=': 'after',
    '?type=signal.updated': 'type',
    '?type=signal.new,': 'type',
    '?signal_type=gold': 'signal_type',
    '?signal_id=sig_1': 'signal_id',
    '?events=signal.updated': 'events',
    '?types=gold': 'types',
    '?type=signal.new&events=signal.new': 'type',
    '?signal_type=new&types=3d': 'signal_type',
    '?order=newest': 'order',
    '?limit=0': 'limit',
    '?limit=101': 'limit',
    '?page=2': 'page',
    '?limit=1&limit=2': 'limit',
  };
  const found: Record<string, string | undefined> = {};
  for (const query of Object.keys(cases)) found[query] = (await refusal(query))?.field;
  expect(found).toEqual(cases);
});

it('GET /v1/events says so when events behind a cursor are no longer kept, instead of leaving them out', async () => {
  await appendListed(1, 5);
  const old = await page('?limit=1');
  await f.collections.events.deleteMany({ sequence: { $lte: 3 } });
  const details = await refusal(`?after=${old.meta.next_cursor}`);
  expect(details).toMatchObject({ field: 'after', message: expect.stringContaining('30 days') });
  expect(await refusal(`?after=${listedEvent(1).id}`)).toMatchObject({ field: 'after' });
  expect(idsOf(await page())).toEqual(listedIds(4, 5));
  // Nothing that followed this one is gone.
  expect(idsOf(await page('?after=pos_3'))).toEqual(listedIds(4, 5));
});

it('GET /v1/events keeps its sequence numbers when all events are deleted: cursors stay valid, and new events come behind them', async () => {
  await appendListed(1, 5);
  const { meta } = await page();
  await f.collections.events.deleteMany({});
  expect(await page(`?after=${meta.next_cursor}`)).toMatchObject({ data: [], meta });
  expect(await page()).toMatchObject({ data: [], meta });
  await appendListed(6, 6);
  expect(idsOf(await page(`?after=${meta.next_cursor}`))).toEqual(listedIds(6, 6));
  expect((await f.collections.events.findById(listedEvent(6).id).lean())?.sequence).toBe(6);
});

it('GET /v1/events shows what subscribers got: the id of the delivery and the bytes of its body, never signal.updated', async () => {
  await using _worker = await f.startWorker();
  await f.subscribe('/hook', { events: ['signal.winner'] });
  await f.publish(signalEvent('signal.updated'));
  const event = signalEvent('signal.winner', '7d');
  await f.publish(event);
  const [request] = await eventually(() => {
    expect(f.receiver.requests).toHaveLength(1);
    return f.receiver.requests;
  });
  const { data } = await page();
  expect(data.map(({ id }) => id)).toEqual([event.id]);
  expect(request?.headers['webhook-id']).toBe(event.id);
  const { id: _, ...body } = data[0] as FeedEvent;
  expect(JSON.stringify(body)).toBe(request?.body.toString());
});

it('an event that is redelivered keeps its first sequence number and bytes, however many writers append it at once', async () => {
  const event = listedEvent(1);
  const again = { ...event, body: event.body.replace('Nova', 'Other') };
  await eventLog(f.collections, Date.now).append(event);
  const writers = Array.from({ length: 4 }, () => eventLog(f.collections, Date.now).append);
  await Promise.all(
    writers.flatMap((append) => [
      append(again),
      append(listedEvent(2)),
      append(again),
      append(listedEvent(3)),
    ]),
  );
  const stored = await f.collections.events.find().sort({ sequence: 1 }).lean();
  expect(stored.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  expect(stored[0]).toMatchObject({ _id: event.id, body: event.body });
});
