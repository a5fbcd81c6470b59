import { idempotencyLifeMs } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  recordDeletion,
  removeDeliveries,
  removeOrphanedDeliveries,
} from '../src/store/deleted-subscriptions.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { mongoSubscriptionStore } from '../src/store/subscription-store.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { rowsOfFinds } from './rows-of-finds.ts';

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

it('deliveries that the fan-out opens while their subscription is deleted are removed ten minutes later', async () => {
  const { id } = await f.subscribe('/deleted');
  const other = await f.subscribe('/other');
  await open(id, 3);
  await open(other.id, 2);
  expect(await remove(id)).toBe(true);
  expect(await left(id)).toBe(0);
  await open(id, 4);
  await removeOrphanedDeliveries(f.collections, new Date());
  expect(await left(id)).toBe(4);
  await Promise.all([1, 2].map(() => removeOrphanedDeliveries(f.collections, later())));
  expect(await left(id)).toBe(0);
  expect(await left(other.id)).toBe(2);
  expect(await f.collections.deletedSubscriptions.countDocuments({})).toBe(0);
});

it('the deliveries of a deleted subscription are removed page by page, however long its log is', async () => {
  const { id } = await f.subscribe('/long');
  await open(id, 350);
  const rows = await rowsOfFinds(f, ['deliveries'], (collections) => removeDeliveries(collections, id, 300));
  expect(rows).toHaveLength(3);
  expect(await left(id)).toBe(50);
  expect(await remove(id)).toBe(true);
  expect(await left(id)).toBe(0);
});

it('a subscription whose process died between recording and making its deletion keeps its deliveries', async () => {
  const { id } = await f.subscribe('/not-deleted');
  await open(id, 2);
  await recordDeletion(f.collections, { _id: id, at: new Date() });
  await removeOrphanedDeliveries(f.collections, later());
  expect(await left(id)).toBe(2);
  expect(await f.collections.deletedSubscriptions.countDocuments({})).toBe(0);
  expect(await remove(id)).toBe(true);
  expect(await left(id)).toBe(0);
});

it('a request with the idempotency key of a deleted or changed subscription gets the first answer again and makes nothing, for 24 hours', async () => {
  const ask = (method: 'post' | 'patch' | 'delete', path = '', body?: object) =>
    f.as('acct_again', method, `/v1/webhooks${path}`).set('Idempotency-Key', 'k').send(body);
  const body = { url: 'http://127.0.0.1:9000/', events: ['signal.new'] };
  const { body: first } = (await ask('post', '', body).expect(201)) as { body: { data: { id: string } } };
  const { id } = first.data;
  await ask('patch', `/${id}`, { description: 'changed' }).expect(200);
  expect((await ask('post', '', body).expect(201)).body).toEqual(first);
  await ask('delete', `/${id}`).expect(200);
  // The record is needed no longer for deliveries, but for the key.
  await removeOrphanedDeliveries(f.collections, later());
  await removeOrphanedDeliveries(f.collections, new Date(Date.now() + idempotencyLifeMs - 60_000));
  expect((await ask('post', '', body).expect(201)).body).toEqual(first);
  await ask('post', '', { ...body, events: ['signal.dead'] }).expect(409);
  expect(await f.collections.subscriptions.countDocuments({ account: 'acct_again' })).toBe(0);

  await removeOrphanedDeliveries(f.collections, new Date(later().getTime() + idempotencyLifeMs));
  expect((await ask('post', '', body).expect(201)).body).not.toEqual(first);
});

it('no deletion is recorded for a subscription that does not exist or belongs to another account', async () => {
  const { id } = await f.subscribe('/mine');
  const subscriptions = mongoSubscriptionStore(f.collections);
  await f.collections.deletedSubscriptions.deleteMany({});
  expect(await subscriptions.remove('acct_other', id)).toBe(false);
  expect(await subscriptions.remove('acct_other', newId('wh'))).toBe(false);
  expect(await f.collections.deletedSubscriptions.countDocuments({})).toBe(0);
});
