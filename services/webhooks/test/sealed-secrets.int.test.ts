import { newSealKey, sealer, sealKeys } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireOpenableSecrets, resealSecrets } from '../src/store/sealed-secrets.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { testKey, testSealer } from './test-sealer.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

/** All that the service's database has, as text. */
async function databaseText(): Promise<string> {
  const { db } = f.collections.subscriptions;
  const names = Object.values(f.collections).map(({ collection }) => collection.name);
  const all = await Promise.all(names.map((name) => db.collection(name).find().toArray()));
  return JSON.stringify(all);
}

it('no signing secret is in the database as it is, and a newest key seals all again while they sign', async () => {
  const account = 'acct_sealed';
  const made = await f
    .as(account, 'post', '/v1/webhooks')
    .set('idempotency-key', 'sealed-1')
    .send({ url: `${f.receiver.url}/sealed`, events: ['signal.new'] })
    .expect(201);
  const { id, secret: before } = (made.body as { data: { id: string; secret: string } }).data;
  const rotated = await f.as(account, 'post', `/v1/webhooks/${id}/rotate-secret`).expect(200);
  const { secret } = (rotated.body as { data: { secret: string } }).data;
  const gone = await f
    .as(account, 'post', '/v1/webhooks')
    .set('idempotency-key', 'sealed-2')
    .send({ url: `${f.receiver.url}/gone`, events: ['signal.new'] })
    .expect(201);
  const deleted = (gone.body as { data: { id: string; secret: string } }).data;
  await f.as(account, 'delete', `/v1/webhooks/${deleted.id}`).expect(200);
  await f.startWorker();
  await f.publish(signalEvent());
  const request = await eventually(() => {
    const [first] = f.received('/sealed');
    expect(first).toBeDefined();
    return first;
  });
  for (const one of [before, secret]) {
    new Webhook(one).verify(request?.body.toString() ?? '', request?.headers as Record<string, string>);
  }
  const secrets = [before, secret, deleted.secret];
  const text = await databaseText();
  for (const one of secrets) expect(text).not.toContain(one.replace('whsec_', ''));

  const both = sealer(sealKeys.parse(`${testKey}\n${newSealKey(2)}`));
  await expect(resealSecrets(f.collections, both)).resolves.toBe(2);
  await expect(resealSecrets(f.collections, both)).resolves.toBe(0);
  const [stored, kept] = await Promise.all([
    f.collections.subscriptions.findById(id).lean(),
    f.collections.deletedSubscriptions.findById(deleted.id).lean(),
  ]);
  const sealed = [stored?.secret, stored?.retired_secrets?.[0]?.secret, stored?.idempotency?.secret];
  expect(sealed.map((one) => one?.startsWith(both.newestPrefix))).toEqual([true, true, true]);
  expect(sealed.map((one) => both.open(one ?? '', id))).toEqual([secret, before, before]);
  expect(both.open(kept?.idempotency?.secret ?? '', deleted.id)).toBe(deleted.secret);
});

it('no process starts without a key that a secret in the database needs', async () => {
  const other = sealer(sealKeys.parse(newSealKey(7)));
  const { id } = await f.subscribe('/needed');
  const stored = await f.collections.subscriptions.findById(id).lean();
  const secret = other.seal(testSealer.open(stored?.secret ?? '', id), id);
  await f.collections.subscriptions.updateOne({ _id: id }, { $set: { secret } });
  await expect(requireOpenableSecrets(f.collections, testSealer)).rejects.toThrow(/no key of .* opens/);
  await expect(requireOpenableSecrets(f.collections, other)).rejects.toThrow(/no key of .* opens/);
  await f.collections.subscriptions.deleteMany({});
  await f.collections.deletedSubscriptions.deleteMany({});
  await f.subscribe('/needed');
  await expect(requireOpenableSecrets(f.collections, testSealer)).resolves.toBeUndefined();
});
