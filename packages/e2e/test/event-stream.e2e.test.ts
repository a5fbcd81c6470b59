import type { FeedEvent } from '@sigcast/contracts';
import { type EventSource, eventually, openEventSource, type StreamedEvent } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestSystem, testSystem } from './system.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await testSystem();
}, 240_000);
afterAll(() => system?.stop(), 30_000);

/** Reconnects whenever its stream ends, as a browser does, with the last event id. */
class Follower {
  connections = 0;
  #lastEventId = '';
  #current: EventSource | undefined;
  readonly #before: StreamedEvent[] = [];
  readonly #stopping = new AbortController();

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
      ...(this.#lastEventId && { 'last-event-id': this.#lastEventId }),
    });
    expect(stream.status).toBe(200);
    return stream;
  }
}

async function listAll(): Promise<FeedEvent[]> {
  const found: FeedEvent[] = [];
  for (let query = '?type=signal.new&limit=7'; ; ) {
    const { body } = await system.api(`/v1/events${query}`);
    const page = body as unknown as { data: FeedEvent[]; meta: { next_cursor: string; has_more: boolean } };
    found.push(...page.data);
    if (!page.meta.has_more) return found;
    query = `?type=signal.new&limit=7&after=${page.meta.next_cursor}`;
  }
}

describe('a stream through the gateway', () => {
  it('misses nothing and repeats nothing while api and worker are killed, and agrees with the feed', async () => {
    const follower = new Follower();
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
    await eventually(async () => expect(await listAll()).toHaveLength(created.length), { timeoutMs: 30_000 });
    const feed = await listAll();
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

  it('ends at once when the api is stopped properly', async () => {
    const stream = await openEventSource(`${system.gatewayUrl}/v1/stream`, {
      authorization: `Bearer ${system.apiKey}`,
    });
    expect(stream.status).toBe(200);
    await system.processes['webhooks-api'].kill('SIGTERM');
    expect(await stream.over).toBe('ended');
    await system.processes['webhooks-api'].start();
  });
});
