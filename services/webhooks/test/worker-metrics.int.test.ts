import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { newDelivery } from '../src/store/fan-out-store.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

it('tells operators of attempts, lag, queues, what is due and subscriptions', async () => {
  const registry = new Registry();
  await f.subscribe('/fine');
  await f.subscribe('/failing');
  f.receiver.script('/failing', 500);
  await using _worker = await f.startWorker({ registry, retryDelaysMs: [600_000] });
  await f.publish(signalEvent());
  await eventually(async () => {
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'sigcast_webhooks_attempts_total{outcome="succeeded"} 1',
        'sigcast_webhooks_attempts_total{outcome="bad_status"} 1',
        'sigcast_webhooks_first_attempt_lag_seconds_count 2',
        'sigcast_webhooks_queue_messages{queue="fanout"} 0',
        'sigcast_webhooks_queue_messages{queue="bulk"} 0',
        'sigcast_webhooks_queue_messages{queue="parked"} 0',
        'sigcast_webhooks_pending{what="deliveries"} 1',
        'sigcast_webhooks_pending{what="due"} 0',
        'sigcast_webhooks_pending{what="oldest_due_seconds"} 0',
        'sigcast_webhooks_subscriptions{status="enabled"} 2',
        'sigcast_webhooks_in_hand{what="attempts"} 0',
        'sigcast_webhooks_in_hand{what="circuits_open"} 0',
      ]),
    );
  });
});

it('counts deliveries that are due and that nobody attempts, and tells for how long the oldest has been due', async () => {
  const registry = new Registry();
  const { id } = await f.subscribe('/slow');
  f.receiver.script('/slow', 'hang');
  const at = Date.now();
  await f.collections.deliveries.create(
    [-180_000, -120_000, -60_000, 3_600_000].map((dueInMs, n) => ({
      ...newDelivery(
        { id: `evt_${n}`, type: 'signal.new', signalId: null },
        { id, account: 'acct' },
        new Date(at + dueInMs),
      ),
      body: '{}',
    })),
  );
  await using _worker = await f.startWorker({ registry, maxInFlight: 1, timeoutMs: 60_000 });
  // Cut off, so that the worker can end.
  using _cutting = { [Symbol.dispose]: () => f.receiver.dropConnections() };
  // A request that came after the cut would hang on.
  await eventually(() => expect(f.receiver.requests.map(({ path }) => path)).toContain('/slow'));
  await eventually(async () => {
    const text = await registry.metrics();
    // One is under way, and one is not due.
    expect(text).toContain('sigcast_webhooks_pending{what="due"} 2\n');
    const [, seconds] = /\{what="oldest_due_seconds"\} ([\d.]+)/.exec(text) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(120);
    expect(Number(seconds)).toBeLessThan(180);
  });
  // Not before the request is there: only then can it be cut off.
  await eventually(() => expect(f.receiver.requests.some(({ path }) => path === '/slow')).toBe(true));
});
