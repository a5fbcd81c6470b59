import { Sigcast } from '@sigcast/client';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestSystem, testSystem } from './system.ts';

let system: TestSystem;
let sigcast: Sigcast;

beforeAll(async () => {
  system = await testSystem();
  sigcast = new Sigcast({ apiKey: system.apiKey, baseUrl: system.gatewayUrl });
}, 240_000);

afterAll(() => system?.stop(), 30_000);

describe('the client, following events', () => {
  it('misses and repeats no event while the service is killed, and sees the same events in the feed', async () => {
    const stopping = new AbortController();
    const streamed: { id: string; signal: string }[] = [];
    const { meta } = await sigcast.events.list({ after: 'latest' });
    const following = (async () => {
      const stream = sigcast.stream({ lastEventId: meta.next_cursor, signal: stopping.signal });
      for await (const { id, data } of stream) streamed.push({ id, signal: data.id });
    })();
    const created = [await system.createSignal()];
    await eventually(() => expect(streamed).toHaveLength(1));
    await system.processes['webhooks-api'].kill('SIGKILL');
    for (let n = 0; n < 5; n++) created.push(await system.createSignal());
    await system.processes['webhooks-api'].start();
    await eventually(() => expect(streamed).toHaveLength(6), { timeoutMs: 30_000 });
    stopping.abort();
    await following;
    expect(streamed.map(({ signal }) => signal).sort()).toEqual(created.sort());

    const listed: string[] = [];
    for await (const { id } of sigcast.events.iterate({ after: meta.next_cursor, limit: 2 })) listed.push(id);
    expect(listed).toEqual(streamed.map(({ id }) => id));
  }, 60_000);
});
