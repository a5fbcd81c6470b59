import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@sigcast/runtime';
import { noteDeletion, removeLeftDeliveries } from '../src/store/deleted-subscriptions.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { mongoSubscriptionStore } from '../src/store/subscription-store.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

const later = () => new Date(Date.now() + 11 * 60_000);
const open = async (subscription: string, count: number) => {
  await f.collections.deliveries.create(
    Array.from({ length: count }, () => ({
      ...newDelivery(
        { id: signalEvent().id, type: 'signal.new', signalId: null },
        { id: subscription, account: 'acct' },
        new Date(),
      ),
    })),
  );
};
const left = (subscription: string) => f.collections.deliveries.countDocuments({ subscription });
const remove = async (id: string) => {
  const { account } = (await f.collections.subscriptions.findById(id).lean()) ?? {};
  return mongoSubscriptionStore(f.collections).remove(account ?? '', id);
};

describe('what is left of a deleted subscription', () => {
  it('is removed ten minutes later, though the fan-out opened it at that very moment', async () => {
    const { id } = await f.subscribe('/deleted');
    const other = await f.subscribe('/other');
    await open(id, 3);
    await open(other.id, 2);
    expect(await remove(id)).toBe(true);
    expect(await left(id)).toBe(0);
    await open(id, 4);
    await removeLeftDeliveries(f.collections, new Date());
    expect(await left(id)).toBe(4);
    await Promise.all([1, 2].map(() => removeLeftDeliveries(f.collections, later())));
    expect(await left(id)).toBe(0);
    expect(await left(other.id)).toBe(2);
    expect(await f.collections.deletedSubscriptions.countDocuments({})).toBe(0);
  });

  it('is nothing where the process died before the subscription was deleted, which stays with its deliveries', async () => {
    const { id } = await f.subscribe('/not-deleted');
    await open(id, 2);
    await noteDeletion(f.collections, id, new Date());
    await removeLeftDeliveries(f.collections, later());
    expect(await left(id)).toBe(2);
    expect(await f.collections.deletedSubscriptions.countDocuments({})).toBe(0);
    expect(await remove(id)).toBe(true);
    expect(await left(id)).toBe(0);
  });

  it('is not noted for a subscription that is not there, or is another account’s', async () => {
    const { id } = await f.subscribe('/mine');
    const subscriptions = mongoSubscriptionStore(f.collections);
    await f.collections.deletedSubscriptions.deleteMany({});
    expect(await subscriptions.remove('acct_other', id)).toBe(false);
    expect(await subscriptions.remove('acct_other', newId('wh'))).toBe(false);
    expect(await f.collections.deletedSubscriptions.countDocuments({})).toBe(0);
  });
});
