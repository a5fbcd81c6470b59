import { Writable } from 'node:stream';
import { identitySigner, serve } from '@sigcast/http';
import { pause, silentLogger } from '@sigcast/runtime';
import { type EventSource, eventually, openEventSource } from '@sigcast/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mongoEventFeed } from '../src/store/event-feed.ts';
import { eventLog } from '../src/store/event-log.ts';
import { writeEventStream } from '../src/streaming/event-stream.ts';
import { FeedTail } from '../src/streaming/feed-tail.ts';
import { type Fixture, fixture } from './fixture.ts';
import { listedEvent } from './fixtures/listed-event.ts';

let f: Fixture;
let base: string;
let server: AsyncDisposableStack | undefined;
async function serveFixture(options?: Parameters<typeof fixture>[0]): Promise<void> {
  await server?.disposeAsync();
  server = new AsyncDisposableStack();
  f = server.use(await fixture(options));
  base = await serve(f.app, { host: '127.0.0.1', port: 0 }, silentLogger(), server);
  server.defer(() => f.streams.stop());
}
beforeEach(() => serveFixture());
afterEach(() => server?.disposeAsync());

async function open(
  query = '',
  headers: Record<string, string> = {},
  account = 'acct_s',
): Promise<EventSource> {
  const identity = identitySigner(
    'gateway',
    f.identityKey,
    'webhooks',
  )({ subject: account, scopes: [], ttlS: 60 });
  return openEventSource(`${base}/v1/stream${query}`, { 'x-sigcast-identity': identity, ...headers });
}
async function appendListed(from: number, to: number): Promise<void> {
  const { append } = eventLog(f.collections, Date.now);
  await Promise.all(Array.from({ length: to - from + 1 }, (_, i) => append(listedEvent(from + i))));
}
const listed = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => listedEvent(from + i));
const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);

it('GET /v1/stream brings events as they happen, from now on, with the exact bytes of their webhooks', async () => {
  await appendListed(1, 3);
  await using stream = await open();
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  expect(stream.headers.get('cache-control')).toBe('private, no-cache');
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  expect(stream.retryMs).toBeGreaterThanOrEqual(1_000);
  await appendListed(4, 6);
  const expected = listed(4, 6).map(({ id, type, body }) => ({ id, event: type, data: body }));
  await eventually(() => expect(stream.events).toEqual(expected));
});

it('GET /v1/stream resumes without a gap behind the last id, by header or query, the header first', async () => {
  await appendListed(1, 5);
  const { id } = listedEvent(2);
  await using byHeader = await open('', { 'last-event-id': id });
  await using byQuery = await open(`?last_event_id=${id}`);
  await using byBoth = await open(`?last_event_id=${listedEvent(4).id}`, { 'last-event-id': id });
  await appendListed(6, 6);
  for (const stream of [byHeader, byQuery, byBoth]) {
    await eventually(() => expect(idsOf(stream.events)).toEqual(idsOf(listed(3, 6))));
  }
});

it('GET /v1/stream sends an id at once, so that a client that loses the connection before the first event misses none', async () => {
  await appendListed(1, 2);
  const first = await open();
  await first.close();
  await appendListed(3, 4);
  await using second = await open('', { 'last-event-id': first.lastEventId });
  await eventually(() => expect(idsOf(second.events)).toEqual(idsOf(listed(3, 4))));
});

it('GET /v1/stream takes the same cursors as GET /v1/events', async () => {
  await appendListed(1, 3);
  const answer = await f.as('acct_s', 'get', '/v1/events?limit=1').expect(200);
  const { next_cursor } = (answer.body as { meta: { next_cursor: string } }).meta;
  await using stream = await open('', { 'last-event-id': next_cursor });
  await eventually(() => expect(idsOf(stream.events)).toEqual(idsOf(listed(2, 3))));
  await f.as('acct_s', 'get', `/v1/events?after=${stream.lastEventId}`).expect(200);
});

it('GET /v1/stream filters by event and type, and its heartbeat moves the id past events that did not pass', async () => {
  await using stream = await open('?events=signal.winner&types=3d,30d');
  const begun = stream.lastEventId;
  await appendListed(0, 11);
  // Numbers 1 and 9: every fourth is a winner, of every six the second is 3d and the fourth 30d.
  await eventually(() => expect(idsOf(stream.events)).toEqual(idsOf([listedEvent(1), listedEvent(9)])));
  await eventually(() => expect(stream.lastEventId).toMatch(/^pos_/));
  expect(stream.lastEventId).not.toBe(begun);
  expect(stream.comments.length).toBeGreaterThan(0);
  await using next = await open('?events=signal.winner&types=3d,30d', {
    'last-event-id': stream.lastEventId,
  });
  await appendListed(13, 13);
  await eventually(() => expect(idsOf(next.events)).toEqual([listedEvent(13).id]));
});

it('GET /v1/stream refuses what it does not know with 400 and its name, before the stream begins', async () => {
  const refusal = async (query: string, headers: Record<string, string> = {}) => {
    let asking = f.as('acct_s', 'get', `/v1/stream${query}`);
    for (const [name, value] of Object.entries(headers)) asking = asking.set(name, value);
    const answer = await asking.expect(400).expect('content-type', /json/);
    return (answer.body as { error: { details: { field: string }[] } }).error.details[0]?.field;
  };
  expect(await refusal('?events=signal.updated')).toBe('events');
  expect(await refusal('?types=new,gold')).toBe('types');
  expect(await refusal('?type=new')).toBe('type');
  expect(await refusal('?last_event_id=17')).toBe('last_event_id');
  expect(await refusal('', { 'last-event-id': 'pos_99' })).toBe('Last-Event-ID');
});

it('GET /v1/stream ends properly when its life is over, and the next streams go on where it ended', async () => {
  await serveFixture({ streamLifeMs: 300 });
  const first = await open();
  let { lastEventId } = first;
  const endings = [await first.over];
  const seen = idsOf(first.events);
  let kept = 0;
  const keeping = (async () => {
    while (endings.length < 4) {
      kept += 1;
      await appendListed(kept, kept);
    }
  })();
  while (endings.length < 4 || seen.length < kept) {
    await using stream = await open('', { 'last-event-id': lastEventId });
    const ending = await stream.over;
    endings.push(ending);
    seen.push(...idsOf(stream.events));
    ({ lastEventId } = stream);
  }
  await keeping;
  expect(seen).toEqual(idsOf(listed(1, kept)));
  expect(new Set(endings)).toEqual(new Set(['ended']));
});

it('GET /v1/stream ends properly when the process stops, also if it is opened after that', async () => {
  await using stream = await open();
  f.streams.stop();
  expect(await stream.over).toBe('ended');
  await using late = await open();
  expect([late.status, await late.over, late.lastEventId]).toEqual([200, 'ended', stream.lastEventId]);
  await server?.disposeAsync();
});

it('GET /v1/stream answers HEAD without a stream', async () => {
  const { headers } = await f.as('acct_s', 'head', '/v1/stream').expect(200);
  expect(headers['content-type']).toBe('text/event-stream');
});

it('a client slower than the events gets every one in order, and the process holds no more than the client can take', async () => {
  const feed = mongoEventFeed(f.collections);
  const tail = new FeedTail({ feed, intervalMs: 20, pause, onProblem: () => undefined });
  const taken: string[] = [];
  let take: (() => void) | undefined;
  let mostHeld = 0;
  const client = new Writable({
    highWaterMark: 16_384,
    decodeStrings: false,
    write(text: string, _encoding, done) {
      mostHeld = Math.max(mostHeld, client.writableLength);
      taken.push(text);
      take = done;
    },
  });
  using listening = await tail.listen();
  const ending = new AbortController();
  const written = writeEventStream(client, {
    feed,
    tail: listening,
    filter: {},
    from: 0,
    heartbeatMs: 60_000,
    retryMs: 1_000,
    signal: ending.signal,
  });
  // More events than the tail keeps in memory.
  await appendListed(1, 1_500);
  await eventually(() => expect(listening.end).toBe(1_500));
  const { length: before } = taken;
  expect(before).toBe(1);
  await eventually(
    () => {
      // Each write is answered once, however long the next one takes to come.
      const done = take;
      take = undefined;
      done?.();
      expect(taken).toHaveLength(1_501);
    },
    { everyMs: 0, timeoutMs: 30_000 },
  );
  ending.abort();
  await written;
  const ids = taken.slice(1).map((text) => /^id: (.*)$/m.exec(text)?.[1]);
  const stored = await f.collections.events.find({}, { _id: 1 }).sort({ sequence: 1 }).lean();
  expect(ids).toEqual(stored.map(({ _id }) => _id));
  // Up to the high-water mark, and the one event that exceeded it.
  expect(mostHeld).toBeLessThan(16_384 + 2_000);
});
