import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FeedEvent, Sigcast, SigcastConnectionError, type StreamConnection } from '../src/index.ts';
import { eventStream, failure } from './answers.ts';
import { fakeTimeouts, forgetfulFetch, testClient, testSurroundings } from './surroundings.ts';

let server: Receiver;

beforeAll(async () => {
  server = await startReceiver();
});

afterAll(() => server?.[Symbol.asyncDispose]());

/** A path of the test's own, and so a script of its own: the number of events in the filter differs. */
let path = '';
let events: 'signal.new'[] = [];
let count = 0;
beforeEach(() => {
  count += 1;
  events = new Array<'signal.new'>(count).fill('signal.new');
  path = `/v1/stream?${new URLSearchParams({ events: events.join(',') }).toString()}`;
});

afterEach(() => {
  vi.useRealTimers();
});

const requests = () => server.requests.filter((request) => request.path === path);
const lastEventIds = () => requests().map(({ headers }) => headers['last-event-id']);
const frame = (id: number) =>
  `id: ${id}\nevent: signal.new\ndata: ${JSON.stringify({ event: 'signal.new', data: { id: `sig_${id}` } })}\n\n`;
const frames = (...ids: number[]) => eventStream((response) => response.end(ids.map(frame).join('')));

/** The signal ids of the first `wanted` events. */
async function take(stream: AsyncIterable<FeedEvent>, wanted: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const event of stream) {
    taken.push(event.data.id);
    if (taken.length === wanted) break;
  }
  return taken;
}

/** Waits for the next event, which never comes on this connection, until the idle timeout of 45 s has passed. */
async function nextAfterSilence(stream: AsyncGenerator<FeedEvent>) {
  const next = stream.next();
  await eventually(() => expect(vi.getTimerCount()).toBe(1));
  vi.advanceTimersByTime(45_000);
  return next;
}

describe('the stream', () => {
  it('continues after the last event when its connection ends, breaks or is answered 503', async () => {
    const { sigcast } = testClient(server.url);
    const broken = eventStream((response) => {
      response.write(`${frame(3)}id: 4\ndata: {"half`, () => response.socket?.destroy());
    });
    server.script(path, frames(1, 2), broken, failure(503, 'SERVICE_UNAVAILABLE'), frames(4, 5));
    expect(await take(sigcast.stream({ events }), 5)).toEqual(['sig_1', 'sig_2', 'sig_3', 'sig_4', 'sig_5']);
    expect(lastEventIds()).toEqual([undefined, '2', '3', '3']);
  });

  it('reports when its connection is open and when it is lost, with the cause unless the API ended it', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, frames(1), failure(503, 'SERVICE_UNAVAILABLE'), frames(2));
    const told: (string | undefined)[] = [];
    const onConnection = (connection: StreamConnection) =>
      told.push(connection.state === 'open' ? 'open' : connection.cause?.message);
    await take(sigcast.stream({ events, onConnection }), 2);
    expect(told).toEqual(['open', undefined, 'SERVICE_UNAVAILABLE it is', 'open']);
  });

  it('begins after the given event, and again after it if no event came', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, frames(), frames(8));
    expect(await take(sigcast.stream({ events, lastEventId: '7' }), 1)).toEqual(['sig_8']);
    expect(lastEventIds()).toEqual(['7', '7']);
  });

  it('continues after a position that the API sends without an event, and tells it', async () => {
    const { sigcast } = testClient(server.url);
    const opened = eventStream((response) => response.end('retry: 2000\nid: pos_41\n\n'));
    server.script(path, opened, frames(42));
    const told: string[] = [];
    const onPosition = (id: string) => told.push(id);
    expect(await take(sigcast.stream({ events, onPosition }), 1)).toEqual(['sig_42']);
    expect(lastEventIds()).toEqual([undefined, 'pos_41']);
    expect(told).toEqual(['pos_41', '42']);
  });

  it('waits as the API asks, twice as long while no event comes, and as long as a rate limit says', async () => {
    const { sigcast, pausesMs } = testClient(server.url);
    const asking = eventStream((response) => response.end(`retry: 4000\n${frame(1)}`));
    const refused = failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 60 });
    server.script(path, asking, frames(), frames(), refused, frames(2), frames(3));
    expect(await take(sigcast.stream({ events }), 3)).toEqual(['sig_1', 'sig_2', 'sig_3']);
    // Randomness is 0 here, so each pause is half of the longest one possible. An event resets the pause.
    expect(pausesMs).toEqual([2_000, 4_000, 8_000, 60_000, 2_000]);
  });

  it('does not wait longer after connections that were open for 30 s, even without an event', async () => {
    const { pausesMs, ...surroundings } = testSurroundings();
    let nowMs = 0;
    const now = () => {
      nowMs += 30_000;
      return nowMs;
    };
    const sigcast = new Sigcast({ apiKey: 'sk_test', baseUrl: server.url }, { ...surroundings, now });
    server.script(path, frames(), frames(), frames(), frames(1));
    expect(await take(sigcast.stream({ events }), 1)).toEqual(['sig_1']);
    expect(pausesMs).toEqual([500, 500, 500]);
  });

  it('decodes characters whose bytes arrive in separate chunks', async () => {
    const { sigcast } = testClient(server.url);
    const bytes = Buffer.from('data: {"event":"signal.new","data":{"id":"Zürich ✓ 🚀"}}\n\n');
    const apart = eventStream((response) => {
      const next = (at: number): void => {
        if (at < bytes.length) response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
        else response.end();
      };
      next(0);
    });
    server.script(path, apart);
    expect(await take(sigcast.stream({ events }), 1)).toEqual(['Zürich ✓ 🚀']);
  });

  it('gives up a silent connection and opens another one', async () => {
    fakeTimeouts();
    const { sigcast } = testClient(server.url);
    const silent = eventStream((response) => response.write(frame(1)));
    server.script(path, silent, frames(2));
    const stream = sigcast.stream({ events });
    expect((await stream.next()).value).toMatchObject({ id: '1' });
    expect((await nextAfterSilence(stream)).value).toMatchObject({ id: '2' });
    expect(lastEventIds()).toEqual([undefined, '1']);
    await stream.return();
  });

  it('ends when its signal aborts, and closes the connection', async () => {
    const { sigcast } = testClient(server.url);
    const caller = new AbortController();
    let closed = false;
    const open = eventStream((response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write(frame(1));
    });
    server.script(path, open);
    const seen: string[] = [];
    for await (const { data } of sigcast.stream({ events, signal: caller.signal })) {
      seen.push(data.id);
      // Aborted while the next event is awaited.
      setImmediate(() => caller.abort());
    }
    expect(seen).toEqual(['sig_1']);
    await eventually(() => expect(closed).toBe(true));
    expect(requests()).toHaveLength(1);
  });

  it('ends and closes the connection even if fetch forgets its signal, as Node 20 does at garbage collection', async () => {
    fakeTimeouts();
    const { sigcast } = testClient(server.url, { fetch: forgetfulFetch });
    const caller = new AbortController();
    let closed = 0;
    const open = eventStream((response) => {
      response.on('close', () => {
        closed += 1;
      });
      response.write(frame(closed + 1));
    });
    server.script(path, open, open);
    const stream = sigcast.stream({ events, signal: caller.signal });
    expect((await stream.next()).value).toMatchObject({ id: '1' });
    expect((await nextAfterSilence(stream)).value).toMatchObject({ id: '2' });
    setImmediate(() => caller.abort());
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await eventually(() => expect(closed).toBe(2));
  });

  it('ends without an error when it is aborted before it is open', async () => {
    const { sigcast } = testClient(server.url, { maxRetries: 0 });
    const caller = new AbortController();
    server.script(path, () => caller.abort());
    expect(await take(sigcast.stream({ events, signal: caller.signal }), 1)).toEqual([]);
    expect(await take(sigcast.stream({ events, signal: caller.signal }), 1)).toEqual([]);
    expect(requests()).toHaveLength(1);
  });

  it('closes the connection when the loop is left', async () => {
    const { sigcast } = testClient(server.url);
    let closed = false;
    const open = eventStream((response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write(frame(1));
    });
    server.script(path, open);
    expect(await take(sigcast.stream({ events }), 1)).toEqual(['sig_1']);
    await eventually(() => expect(closed).toBe(true));
  });

  it('throws when its key is revoked while it is open', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, frames(1), failure(401, 'UNAUTHORIZED'));
    await expect(take(sigcast.stream({ events }), 2)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('throws after the usual retries when it can’t be opened in the first place', async () => {
    const { sigcast } = testClient(server.url, { maxRetries: 2 });
    server.script(path, 'drop', 'drop', 'drop');
    await expect(take(sigcast.stream({ events }), 1)).rejects.toThrow(SigcastConnectionError);
    expect(requests()).toHaveLength(3);
  });

  it('reconnects as often as it takes once it was open', async () => {
    const { sigcast } = testClient(server.url, { maxRetries: 0 });
    const refused = [failure(503, 'SERVICE_UNAVAILABLE'), failure(409, 'CONFLICT')];
    server.script(path, frames(1), 'drop', 'drop', 'drop', ...refused, frames(2));
    expect(await take(sigcast.stream({ events }), 2)).toEqual(['sig_1', 'sig_2']);
  });

  it('throws at once when the account has too many streams open', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, failure(409, 'CONFLICT'), frames(1));
    await expect(take(sigcast.stream({ events }), 1)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('throws when something other than the API answers', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'));
    await expect(take(sigcast.stream({ events }), 1)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });
});
