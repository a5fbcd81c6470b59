import { newSealKey, type Sealer, sealer, sealKeys } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requireOpenableSecrets, resealSecrets } from '../src/store/sealed-secrets.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { testKey, testSealer } from './test-sealer.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());
afterEach(() => f.endWorkers());

/** Of another key with the version of the tests' key. */
const wrongSealer = sealer(sealKeys.parse(newSealKey(1)));

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

it('no process starts without a key that a secret in the database needs, also where it has another key of that version', async () => {
  const openable = (secrets: Sealer) => requireOpenableSecrets(f.collections, secrets);
  const other = sealer(sealKeys.parse(newSealKey(7)));
  const { id } = await f.subscribe('/needed');
  const stored = await f.collections.subscriptions.findById(id).lean();
  const secret = other.seal(testSealer.open(stored?.secret ?? '', id), id);
  await f.collections.subscriptions.updateOne({ _id: id }, { $set: { secret } });
  await expect(openable(testSealer)).rejects.toThrow(/no key of .* opens/);
  await expect(openable(other)).rejects.toThrow(/no key of .* opens/);
  await f.collections.subscriptions.deleteMany({});
  await f.collections.deletedSubscriptions.deleteMany({});
  const account = 'acct_needed';
  const made = await f
    .as(account, 'post', '/v1/webhooks')
    .set('idempotency-key', 'needed')
    .send({ url: `${f.receiver.url}/needed`, events: ['signal.new'] })
    .expect(201);
  await expect(openable(testSealer)).resolves.toBeUndefined();
  await expect(openable(wrongSealer)).rejects.toThrow(/no key of .* opens/);
  await f
    .as(account, 'delete', `/v1/webhooks/${(made.body as { data: { id: string } }).data.id}`)
    .expect(200);
  await expect(openable(testSealer)).resolves.toBeUndefined();
  await expect(openable(wrongSealer)).rejects.toThrow(/no key of .* opens/);
});

it('a delivery whose secrets a worker can not all open waits for a worker that can, and no attempt counts', async () => {
  const { id, ask, received } = await f.subscribe('/waits');
  // The api has a newer key than the worker: only the replaced secret could sign.
  const stored = await f.collections.subscriptions.findById(id).lean();
  const newer = sealer(sealKeys.parse(`${testKey}\n${newSealKey(2)}`));
  await ask('post', 'rotate-secret').expect(200);
  const secret = newer.seal(testSealer.open(stored?.secret ?? '', id), id);
  await f.collections.subscriptions.updateOne({ _id: id }, { $set: { secret } });
  let refused = 0;
  const open = (sealed: string, of: string) => {
    try {
      return testSealer.open(sealed, of);
    } catch (error) {
      refused++;
      throw error;
    }
  };
  const without = await f.startWorker({ secrets: { open } });
  const event = signalEvent();
  await f.publish(event);
  await eventually(() => expect(refused).toBeGreaterThan(0));
  await without[Symbol.asyncDispose]();
  expect(received()).toEqual([]);
  expect(await f.delivery(event.id, id)).toMatchObject({ status: 'pending', attempt_count: 0, crashes: 0 });
  await f.startWorker({ secrets: newer });
  await eventually(async () => {
    expect(await f.delivery(event.id, id)).toMatchObject({ status: 'delivered', attempt_count: 1 });
  });
});
