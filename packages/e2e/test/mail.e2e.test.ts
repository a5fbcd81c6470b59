import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type Receiver, type ReceiverStep, startReceiver } from '@sigcast/testing';
import { createConnection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestSystem, testSystem } from './system.ts';

const dir = mkdtempSync(join(tmpdir(), 'sigcast-mail-'));
let system: TestSystem;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  system = await testSystem({
    MAIL_DIR: dir,
    PUBLIC_URL: 'http://sigcast.test',
    WEBHOOK_RETRY_DELAYS_MS: '100,100,100',
  });
}, 240_000);
afterAll(async () => {
  await system?.stop();
  await receiver?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
}, 30_000);

const soon = { timeoutMs: 60_000, everyMs: 200 };

/** Subjects of the mails in the folder, oldest first. */
const subjects = () =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => /^Subject: (.*)$/m.exec(readFileSync(join(dir, name), 'utf8'))?.[1]?.trim());

it('a webhook that has failed for a day, and delivers again later, gives its account two mails, in the folder that the settings name', async () => {
  const content = JSON.stringify({ url: `${receiver.url}/bot`, events: ['signal.new'], description: 'Bot' });
  const { body } = await system.api('/v1/webhooks', { method: 'POST', body: content });
  const { id } = body.data as { id: string };
  const failingSince = async () =>
    ((await system.api(`/v1/webhooks/${id}`)).body.data as { failing_since: string | null }).failing_since;
  let isMended = false;
  const answer: ReceiverStep = (response) => void response.writeHead(isMended ? 200 : 500).end();
  receiver.script('/bot', ...Array.from({ length: 100 }, () => answer));
  await system.createSignal();
  await eventually(async () => expect(await failingSince()).not.toBeNull(), soon);
  // A day passes in the store.
  const connection = await createConnection(system.stack.mongodbUri).asPromise();
  const subscriptions = connection
    .useDb(system.stack.database('webhooks'))
    .collection<{ _id: string; failing_since?: Date }>('subscriptions');
  await subscriptions.updateOne({ _id: id }, { $set: { failing_since: new Date(Date.now() - 86_400_000) } });
  await connection.close();
  await system.createSignal();
  const { host } = new URL(receiver.url);
  const mails = [`Webhook Bot (${host}) fails`, `Webhook Bot (${host}) delivers again`];
  await eventually(() => expect(subjects()).toEqual(mails.slice(0, 1)), soon);
  isMended = true;
  await system.createSignal();
  await eventually(() => expect(subjects()).toEqual(mails), soon);
}, 240_000);
