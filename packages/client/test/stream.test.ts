import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { Sigcast, SigcastConnectionError, type SignalEvent, type StreamConnection } from '../src/index.ts';
import { eventStream, failure } from './answers.ts';
import { forgetfulFetch, testClient, testSurroundings } from './surroundings.ts';

let server: Receiver;

beforeAll(async () => {
  server = await startReceiver();
});

afterAll(() => server?.[Symbol.asyncDispose]());

/** A path of the test's own: the receiver scripts by path, and the filter is part of it. */
let path = '';
let events: 'signal.new'[] = [];
let count = 0;
beforeEach(() => {
  count += 1;
  events = new Array<'signal.new'>(count).fill('signal.new');
  path = `/v1/stream?${new URLSearchParams({ events: events.join(',') }).toString()}`;
});

const requests = () => server.requests.filter((request) => request.path === path);
const lastEventIds = () => requests().map(({ headers }) => headers['last-event-id']);
const frame = (id: number) =>
  `id: ${id}\nevent: signal.new\ndata: ${JSON.stringify({ event: 'signal.new', data: { id: `sig_${id}` } })}\n\n`;
const frames = (...ids: number[]) => eventStream((response) => response.end(ids.map(frame).join('')));

/** The ids of the first `wanted` events. */
async function take(stream: AsyncIterable<SignalEvent>, wanted: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const event of stream) {
    taken.push(event.data.id);
    if (taken.length === wanted) break;
  }
  return taken;
}

describe('the stream', () => {
  it('goes on after the last event when its connection ends, breaks or is answered 503', async () => {
    const { sigcast } = testClient(server.url);
    const broken = eventStream((response) => {
      response.write(`${frame(3)}id: 4\ndata: {"half`, () => response.socket?.destroy());
    });
    server.script(path, frames(1, 2), broken, failure(503, 'SERVICE_UNAVAILABLE'), frames(4, 5));
    expect(await take(sigcast.stream({ events }), 5)).toEqual(['sig_1', 'sig_2', 'sig_3', 'sig_4', 'sig_5']);
    expect(lastEventIds()).toEqual([undefined, '2', '3', '3']);
  });

  it('tells when its connection is open and when it is lost, with the cause unless it ended properly', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, frames(1), failure(503, 'SERVICE_UNAVAILABLE'), frames(2));
    const told: (string | undefined)[] = [];
    const onConnection = (connection: StreamConnection) =>
      told.push(connection.state === 'open' ? 'open' : connection.cause?.message);
    await take(sigcast.stream({ events, onConnection }), 2);
    expect(told).toEqual(['open', undefined, 'SERVICE_UNAVAILABLE it is', 'open']);
  });

  it('begins after the event it is given, and from there again if nothing came', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, frames(), frames(8));
    expect(await take(sigcast.stream({ events, lastEventId: '7' }), 1)).toEqual(['sig_8']);
    expect(lastEventIds()).toEqual(['7', '7']);
  });

  it('takes a place in the stream that comes without an event', async () => {
    const { sigcast } = testClient(server.url);
    const opened = eventStream((response) => response.end('retry: 2000\nid: pos_41\n\n'));
    server.script(path, opened, frames(42));
    expect(await take(sigcast.stream({ events }), 1)).toEqual(['sig_42']);
    expect(lastEventIds()).toEqual([undefined, 'pos_41']);
  });

  it('waits as the server asks, doubling while nothing comes, and for a limit as long as it takes', async () => {
    const { sigcast, pausesMs } = testClient(server.url);
    const asking = eventStream((response) => response.end(`retry: 4000\n${frame(1)}`));
    const refused = failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 60 });
    server.script(path, asking, frames(), frames(), refused, frames(2), frames(3));
    expect(await take(sigcast.stream({ events }), 3)).toEqual(['sig_1', 'sig_2', 'sig_3']);
    // Chance is 0 here: half of what may be waited. The event puts it back to the beginning.
    expect(pausesMs).toEqual([2_000, 4_000, 8_000, 60_000, 2_000]);
  });

  it('waits no longer after connections that held, though nothing came in that time', async () => {
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

  it('keeps a text whole whose bytes come apart', async () => {
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

  it('gives a silent connection up and makes another one', async () => {
    const { sigcast } = testClient(server.url);
    const silent = eventStream((response) => response.write(frame(1)));
    server.script(path, silent, frames(2));
    expect(await take(sigcast.stream({ events, idleTimeoutMs: 100 }), 2)).toEqual(['sig_1', 'sig_2']);
    expect(lastEventIds()).toEqual([undefined, '1']);
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

  it('ends and closes the connection though fetch has forgotten its signal, as in Node 20 after garbage was collected', async () => {
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
    const stream = sigcast.stream({ events, signal: caller.signal, idleTimeoutMs: 100 });
    expect((await stream.next()).value).toMatchObject({ id: '1' });
    // Silent for 100 ms.
    expect((await stream.next()).value).toMatchObject({ id: '2' });
    setImmediate(() => caller.abort());
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await eventually(() => expect(closed).toBe(2));
  });

  it('ends without an error when it is aborted while it is being opened', async () => {
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

  it('is over for a key that is revoked while it is open', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, frames(1), failure(401, 'UNAUTHORIZED'));
    await expect(take(sigcast.stream({ events }), 2)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('that can’t be opened in the first place says so after the usual retries', async () => {
    const { sigcast } = testClient(server.url, { maxRetries: 2 });
    server.script(path, 'drop', 'drop', 'drop');
    await expect(take(sigcast.stream({ events }), 1)).rejects.toThrow(SigcastConnectionError);
    expect(requests()).toHaveLength(3);
  });

  it('goes on for as long as it takes once it was open', async () => {
    const { sigcast } = testClient(server.url, { maxRetries: 0 });
    const refused = [failure(503, 'SERVICE_UNAVAILABLE'), failure(409, 'CONFLICT')];
    server.script(path, frames(1), 'drop', 'drop', 'drop', ...refused, frames(2));
    expect(await take(sigcast.stream({ events }), 2)).toEqual(['sig_1', 'sig_2']);
  });

  it('is refused at once where the account has too many open', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, failure(409, 'CONFLICT'), frames(1));
    await expect(take(sigcast.stream({ events }), 1)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is refused where something else answers', async () => {
    const { sigcast } = testClient(server.url);
    server.script(path, (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'));
    await expect(take(sigcast.stream({ events }), 1)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });
});
