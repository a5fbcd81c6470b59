import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crashesToQuarantine, crashesToSuspect } from '../src/domain/delivery.ts';
import { mongoAttemptStore } from '../src/store/attempt-store.ts';
import { mongoDeliveryLog } from '../src/store/delivery-log.ts';
import { markDue } from '../src/store/lane-store.ts';
import { deliveryId, newDelivery, subscriptionOf } from '../src/store/new-deliveries.ts';
import { mongoWorkerRegistry } from '../src/store/worker-registry.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

/** A delivery that is due, and whose attempts were interrupted by so many crashes of workers in a row. */
async function delivery(path: string, crashes: number): Promise<string> {
  const hook = await f.subscribe(path, { events: ['signal.rugged'] });
  const event = signalEvent('signal.rugged');
  const past = new Date(Date.now() - 60_000);
  await f.storeEvents(event);
  const opened = { id: event.id, type: 'signal.rugged', signalId: event.data.id } as const;
  const made = newDelivery(opened, { id: hook.id, account: 'acct' }, past);
  await f.collections.deliveries.create([{ ...made, crashes }]);
  await markDue(f.collections, [hook.id]);
  return deliveryId(event.id, hook.id);
}
const stored = (id: string) => f.collections.deliveries.findById(id).lean();
const registry = () => mongoWorkerRegistry(f.collections);
/** A worker claims the delivery and dies of it. */
async function dieOf(id: string, worker: string): Promise<void> {
  await mongoAttemptStore(f.collections, { now: Date.now, worker: () => worker }).claim(
    { id },
    { proven: true },
  );
  await registry().reclaim({ id: worker, untilMs: 0, leaving: false });
}

it('a delivery whose worker died twice, and then three times with it alone, is quarantined, and its log says so', async () => {
  const id = await delivery('/poison', 0);
  for (const worker of ['wrk_1', 'wrk_2', 'wrk_3', 'wrk_4']) {
    await dieOf(id, worker);
    expect(await stored(id)).toMatchObject({ status: 'pending', lease: null });
  }
  await dieOf(id, 'wrk_5');
  const record = await stored(id);
  expect(record).toMatchObject({ status: 'failed', crashes: crashesToQuarantine, next_attempt_at: null });
  expect(record?.attempts.map(({ outcome }) => outcome)).toEqual(Array(5).fill('interrupted'));
  const log = mongoDeliveryLog(f.collections, Date.now);
  const found = await log.find(subscriptionOf(id), id);
  if (!found) throw new Error('the delivery is gone');
  // Retried by hand, it is still crash-suspected.
  await log.restart(found, { from: found.attemptCount, once: true });
  expect(await stored(id)).toMatchObject({ status: 'pending', crashes: crashesToSuspect });
});

it('a delivery that had been delivered stays so when it is retried by hand and quarantined', async () => {
  const id = await delivery('/poison-again', crashesToSuspect + 2);
  await f.collections.deliveries.updateOne({ _id: id }, { $set: { status: 'delivered' } });
  const log = mongoDeliveryLog(f.collections, () => Date.now() - 1_000);
  const found = await log.find(subscriptionOf(id), id);
  if (!found) throw new Error('the delivery is gone');
  await log.restart(found, { from: found.attemptCount, once: true });
  for (const worker of ['wrk_6', 'wrk_7', 'wrk_8']) await dieOf(id, worker);
  expect(await stored(id)).toMatchObject({ status: 'delivered', crashes: crashesToQuarantine });
});

it('a delivery whose worker died twice is attempted, and once it succeeds it is no longer crash-suspected', async () => {
  const ids = await Promise.all([1, 2, 3].map((n) => delivery(`/innocent-${n}`, crashesToSuspect)));
  await using _worker = await f.startWorker();
  for (const id of ids) {
    await eventually(async () => expect(await stored(id)).toMatchObject({ status: 'delivered', crashes: 0 }));
  }
});
