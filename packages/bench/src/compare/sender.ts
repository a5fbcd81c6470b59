/**
 * Reads a list of webhooks, signs each and posts it, as many at once as the worker would: what is left of deliveries without a
 * queue, a store, retries and limits. The list is the first argument's file, a line `{ url, secret, id, body }` each.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request, setGlobalDispatcher } from 'undici';
import { inFlight, sendResult } from '../frame.ts';
import { ownUse } from '../processes.ts';

export type SenderSpec = { readonly list: string; readonly atOnce: number };
export type Listed = {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly body: string;
};

const { list, atOnce } = JSON.parse(process.argv[2] ?? '') as SenderSpec;
const lines = readFileSync(list, 'utf8').trimEnd().split('\n');
setGlobalDispatcher(new Agent({ connections: atOnce }));
const { result: _, ...used } = await ownUse(() =>
  inFlight(atOnce, lines.length, async (n) => {
    const { url, secret, id, body } = JSON.parse(lines[n] ?? '') as Listed;
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
  }),
);
sendResult(used);
