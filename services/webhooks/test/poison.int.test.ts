import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { quarantineCrashes, suspectCrashes } from '../src/domain/delivery.ts';
import { mongoDeliveryLog } from '../src/store/delivery-log.ts';
import { deliveryId, subscriptionOf } from '../src/store/fan-out-store.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
const workers: AsyncDisposable[] = [];
beforeAll(async () => {
  f = await fixture();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker[Symbol.asyncDispose]();
});
afterAll(() => f[Symbol.asyncDispose]());

const crashing = new URL('./fixtures/crashing-attempt.ts', import.meta.url);
const at = (path: string) => f.receiver.requests.filter((request) => request.path === path);

/** A delivery whose last attempts all ended with their worker, found by the next sweep. */
async function suspect(path: string): Promise<string> {
  const hook = await f.subscribe(path, { events: ['signal.rugged'] });
  const event = signalEvent('signal.rugged');
  const past = new Date(Date.now() - 60_000);
  const account = (await f.collections.subscriptions.findById(hook.id).lean())?.account ?? '';
  await f.collections.events.create([
    {
      _id: event.id,
      type: event.type,
      body: JSON.stringify({ data: event.data }),
      occurred_at: past,
      created_at: past,
    },
  ]);
  const id = deliveryId(event.id, hook.id);
  await f.collections.deliveries.create([
    {
      ...{ _id: id, account, subscription: hook.id, event_id: event.id },
      ...{ event: 'signal.rugged' as const, signal_id: event.data.id, status: 'pending' },
      ...{ attempt_count: 0, attempts: [] },
      ...{ next_attempt_at: past, lease: null, crashes: suspectCrashes, sweep_at: past },
      ...{ created_at: past, updated_at: past },
    },
  ]);
  return id;
}
const stored = (id: string) => f.collections.deliveries.findById(id).lean();

describe('a suspect', () => {
  it('that kills the process it is sent from is put aside, and nothing else is', async () => {
    const poison = await suspect('/poison');
    workers.push(await f.startWorker({ attemptEntry: crashing }));
    const hook = await f.subscribe('/beside');
    const event = signalEvent();
    await f.publish(event);
    await eventually(async () =>
      expect(await stored(poison)).toMatchObject({
        ...{ status: 'failed', crashes: quarantineCrashes, next_attempt_at: null, lease: null },
        attempts: [expect.objectContaining({ outcome: 'interrupted' })],
      }),
    );
    await eventually(async () =>
      expect(await stored(deliveryId(event.id, hook.id))).toMatchObject({ status: 'delivered' }),
    );
    const log = mongoDeliveryLog(f.collections, Date.now);
    const record = await log.find(subscriptionOf(poison), poison);
    if (!record) throw new Error('the delivery is gone');
    // Sent again by hand, it must not meet the worker itself.
    await log.again(record, { from: record.attemptCount, once: true });
    expect(await stored(poison)).toMatchObject({ status: 'pending', crashes: suspectCrashes });
  });

  it('that is innocent is delivered, and is none any more', async () => {
    const ids = await Promise.all([1, 2, 3].map((n) => suspect(`/innocent-${n}`)));
    workers.push(await f.startWorker());
    // More than may be sent alone at once: the third waits its turn.
    for (const id of ids) {
      await eventually(
        async () => expect(await stored(id)).toMatchObject({ status: 'delivered', crashes: 0 }),
        { timeoutMs: 30_000 },
      );
    }
    expect([1, 2, 3].map((n) => at(`/innocent-${n}`).length)).toEqual([1, 1, 1]);
  });
});
