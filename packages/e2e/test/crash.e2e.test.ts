import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestSystem, testSystem } from './system.ts';

let system: TestSystem;
let receiver: Receiver;

beforeAll(async () => {
  system = await testSystem({ WEBHOOK_RETRY_DELAYS_MS: '300,400,500' });
  receiver = await startReceiver();
}, 240_000);

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
}, 30_000);

async function subscribe(path: string): Promise<void> {
  const { response } = await system.api('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: `${receiver.url}${path}`, events: ['signal.new'] }),
  });
  expect(response.status).toBe(201);
}

/** The ids of the signals in the webhooks to `path`. */
function signalsAt(path: string): string[] {
  return receiver.requests
    .filter((request) => request.path === path)
    .map((request) => (JSON.parse(request.body.toString()) as { data: { id: string } }).data.id);
}

describe('kill -9', () => {
  it('of the signals service right after a write loses no event', async () => {
    await subscribe('/signals-killed');
    const created: string[] = [];
    for (let round = 0; round < 3; round++) {
      // Many at once, so that the kill falls into writes, publishes and their confirms.
      const writes = Array.from({ length: 10 }, () => system.createSignal().then((id) => created.push(id)));
      await Promise.race(writes);
      await system.processes.signals.kill('SIGKILL');
      await Promise.allSettled(writes);
      await system.processes.signals.start();
    }
    expect(created.length).toBeGreaterThanOrEqual(3);
    await eventually(() => expect(signalsAt('/signals-killed')).toEqual(expect.arrayContaining(created)), {
      timeoutMs: 30_000,
    });
    await eventually(async () => {
      const listed = await system.api('/v1/signals?limit=1');
      const stats = await system.api('/v1/stats');
      expect(stats.body.data).toMatchObject({ total_signals: listed.body.meta?.total });
    });
  }, 90_000);

  it('of the worker during an attempt loses no delivery, and the repetition has the same webhook-id', async () => {
    await subscribe('/worker-killed');
    receiver.script('/worker-killed', 'hang');
    const id = await system.createSignal();
    const during = () => receiver.requests.filter((request) => request.path === '/worker-killed');
    await eventually(() => expect(during()).toHaveLength(1));
    await system.processes['webhooks-worker'].kill('SIGKILL');
    await system.processes['webhooks-worker'].start();
    await eventually(() => expect(during().length).toBeGreaterThanOrEqual(2), { timeoutMs: 45_000 });
    expect(signalsAt('/worker-killed')).toEqual(expect.arrayContaining([id]));
    expect(new Set(during().map((request) => request.headers['webhook-id'])).size).toBe(1);
  }, 90_000);
});
