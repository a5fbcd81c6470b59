import type { FeedEvent } from '@sigcast/contracts';
import { type EventSource, eventually, openEventSource, type StreamedEvent } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from './system.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await sharedSystem();
}, 240_000);
afterAll(() => system?.stop(), 30_000);

/** Reconnects whenever its stream ends, as a browser does, with the last event id. */
class Follower {
  connections = 0;
  #lastEventId: string;
  #current: EventSource | undefined;
  readonly #before: StreamedEvent[] = [];
  readonly #stopping = new AbortController();

  constructor(lastEventId: string) {
    this.#lastEventId = lastEventId;
  }

  get seen(): readonly StreamedEvent[] {
    return [...this.#before, ...(this.#current?.events ?? [])];
  }

  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#current = await eventually(() => this.#connect());
      this.connections += 1;
      await this.#current.over;
      this.#lastEventId = this.#current.lastEventId;
      this.#before.push(...this.#current.events);
      this.#current = undefined;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.close();
  }

  async #connect(): Promise<EventSource> {
    const stream = await openEventSource(`${system.gatewayUrl}/v1/stream?events=signal.new`, {
      authorization: `Bearer ${system.apiKey}`,
      'last-event-id': this.#lastEventId,
    });
    expect(stream.status).toBe(200);
    return stream;
  }
}

type Page = { readonly data: FeedEvent[]; readonly meta: { next_cursor: string; has_more: boolean } };

async function page(after: string): Promise<Page> {
  const { body } = await system.api(`/v1/events?type=signal.new&limit=7&after=${after}`);
  return body as unknown as Page;
}

async function listAfter(cursor: string): Promise<FeedEvent[]> {
  const found: FeedEvent[] = [];
  for (let after = cursor; ; ) {
    const { data, meta } = await page(after);
    found.push(...data);
    if (!meta.has_more) return found;
    after = meta.next_cursor;
  }
}

describe('a stream through the gateway', () => {
  it('misses nothing and repeats nothing while api and worker are killed, and agrees with the feed', async () => {
    const { next_cursor: now } = (await page('latest')).meta;
    const follower = new Follower(now);
    const following = follower.run();
    await eventually(() => expect(follower.connections).toBe(1));

    const created: string[] = [];
    const createMany = async (count: number) => {
      for (let i = 0; i < count; i += 1) created.push(await system.createSignal());
    };
    for (const victim of ['webhooks-api', 'webhooks-worker', 'webhooks-api'] as const) {
      const writing = createMany(20);
      await system.processes[victim].kill('SIGKILL');
      await writing;
      await createMany(5);
      await system.processes[victim].start();
      await createMany(5);
    }
    await eventually(async () => expect(await listAfter(now)).toHaveLength(created.length), {
      timeoutMs: 30_000,
    });
    const feed = await listAfter(now);
    expect(feed.map(({ data }) => data.id).sort()).toEqual([...created].sort());

    await eventually(() => expect(follower.seen.length).toBeGreaterThanOrEqual(created.length));
    expect(follower.seen).toEqual(
      feed.map(({ id, ...body }) => ({ id, event: 'signal.new', data: JSON.stringify(body) })),
    );
    // Each kill of the api ended a stream.
    expect(follower.connections).toBeGreaterThanOrEqual(3);
    await follower.stop();
    await following;
  }, 120_000);
});
