import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { waitingQueues } from '../src/domain/retry-schedule.ts';
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
  await using _worker = await f.startWorker({ registry, retries: waitingQueues([600_000]) });
  await f.publish(signalEvent());
  await eventually(async () => {
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'sigcast_webhooks_attempts_total{outcome="succeeded"} 1',
        'sigcast_webhooks_attempts_total{outcome="bad_status"} 1',
        'sigcast_webhooks_first_attempt_lag_seconds_count 2',
        'sigcast_webhooks_queue_messages{queue="fanout"} 0',
        'sigcast_webhooks_queue_messages{queue="retry"} 1',
        'sigcast_webhooks_pending{what="deliveries"} 1',
        'sigcast_webhooks_pending{what="due"} 0',
        'sigcast_webhooks_pending{what="oldest_due_seconds"} 0',
        'sigcast_webhooks_subscriptions{status="enabled"} 2',
        'sigcast_webhooks_slots{state="used"} 0',
      ]),
    );
  });
});

it('counts deliveries that are due and that nobody attempts, and tells for how long the oldest has been due', async () => {
  const registry = new Registry();
  const subscription = await f.subscribe('/slow');
  await using _worker = await f.startWorker({ registry });
  const at = Date.now();
  const waiting = (name: string, dueInMs: number, lease: object | null) => ({
    ...newDelivery(
      { id: `evt_${name}`, type: 'signal.new', signalId: null },
      { id: `${subscription}x`, account: 'acct' },
      { at: new Date(at), sweepAt: new Date(at + 3_600_000) },
    ),
    next_attempt_at: new Date(at + dueInMs),
    lease,
  });
  const until = { token: 'another', started_at: new Date(at), until: new Date(at + 3_600_000) };
  await f.collections.deliveries.create([
    waiting('late', -120_000, null),
    waiting('later', -60_000, null),
    waiting('future', 3_600_000, null),
    waiting('underway', -60_000, until),
  ]);
  await eventually(async () => {
    const text = await registry.metrics();
    expect(text).toContain('sigcast_webhooks_pending{what="due"} 2\n');
    const [, seconds] = /\{what="oldest_due_seconds"\} ([\d.]+)/.exec(text) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(120);
  });
});
