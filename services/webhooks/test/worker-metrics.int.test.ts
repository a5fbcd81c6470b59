import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { Registry } from 'prom-client';
import { waitingQueues } from '../src/domain/retry-schedule.ts';
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
        'sigcast_webhooks_pending{what="oldest_due_seconds"} 0',
        'sigcast_webhooks_subscriptions{status="enabled"} 2',
        'sigcast_webhooks_slots{state="used"} 0',
      ]),
    );
  });
});
