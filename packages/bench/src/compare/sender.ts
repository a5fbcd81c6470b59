/**
 * Reads a list of webhooks, signs each and posts it, as many at once as the worker would: what is left of deliveries without a
 * queue, a store, retries and limits. The list is the first argument's file, a line `{ url, secret, id, body }` each.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request, setGlobalDispatcher } from 'undici';
import { sendResult } from '../frame.ts';

export type SenderSpec = { readonly list: string; readonly atOnce: number };
export type SenderResult = { readonly seconds: number; readonly cpuS: number; readonly residentMb: number };
export type Listed = {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly body: string;
};

const { list, atOnce } = JSON.parse(process.argv[2] ?? '') as SenderSpec;
const lines = readFileSync(list, 'utf8').trimEnd().split('\n');
setGlobalDispatcher(new Agent({ connections: atOnce }));
const [startedAt, before] = [performance.now(), process.cpuUsage()];
let next = 0;
const send = async () => {
  for (let line = lines[next++]; line !== undefined; line = lines[next++]) {
    const { url, secret, id, body } = JSON.parse(line) as Listed;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const answer = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${mac}`,
      },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}`);
  }
};
await Promise.all(Array.from({ length: atOnce }, send));
const { user, system } = process.cpuUsage(before);
const result: SenderResult = {
  seconds: (performance.now() - startedAt) / 1_000,
  cpuS: (user + system) / 1e6,
  residentMb: process.memoryUsage.rss() / 1e6,
};
sendResult(result);
