/**
 * Work in memory, a process of its own: what the product does with signatures, filters and the files of the log, and the same by a
 * loop that does nothing else. The specification is the first argument; the result is sent.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signWebhook, verifyWebhook } from '@sigcast/client';
import { eventConditionFields, matcherOfFilter, type SignalAtEvent } from '@sigcast/contracts';
import { sendResult } from '../frame.ts';
import { type OwnUse, ownUse } from '../processes.ts';
import { signalOf } from '../signals.ts';

export type LoopSpec = { readonly name: LoopName; readonly count: number; readonly folder?: string };
export type LoopResult = OwnUse & { readonly units: number };
export type LoopName = keyof typeof loops;

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = JSON.stringify({ event: 'signal.new', data: signalOf(1, 'new') });

async function signed() {
  return signWebhook(body, { id: 'evt_1' }, secret);
}

/** An event whose signal half of the filters accept. */
const signal = signalOf(1, 'new') as unknown as SignalAtEvent;

const loops = {
  'verify by the client': async (count: number) => {
    const headers = await signed();
    for (let n = 0; n < count; n += 1) await verifyWebhook(body, headers, secret);
    return count;
  },
  'verify by a loop': async (count: number) => {
    const headers = await signed();
    const key = Buffer.alloc(32, 7);
    for (let n = 0; n < count; n += 1) {
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const mac = createHmac('sha256', key).update(content).digest();
      const given = Buffer.from(headers['webhook-signature'].slice(3), 'base64');
      if (!timingSafeEqual(mac, given)) throw new Error('not genuine');
      JSON.parse(body);
    }
    return count;
  },
  'filter by conditions': (count: number) => {
    const matchers = Array.from({ length: 10_000 }, (_, n) =>
      matcherOfFilter(
        {
          'metrics.mcap_entry': { gte: n * 20 },
          type: { in: ['new', 'premium'] },
          'metrics.holders': { lt: 1_000 },
        },
        eventConditionFields,
      ),
    );
    return matched(count, matchers);
  },
  'filter by a loop': (count: number) => {
    const matchers = Array.from(
      { length: 10_000 },
      (_, n) =>
        ({ metrics, type }: SignalAtEvent) =>
          metrics.mcap_entry >= n * 20 && (type === 'new' || type === 'premium') && metrics.holders < 1_000,
    );
    return matched(count, matchers);
  },
  'hash the log by a loop': (_count: number, folder = '') => hashed(folder),
};

function matched(count: number, matchers: readonly ((signal: SignalAtEvent) => boolean)[]): number {
  let accepted = 0;
  for (let n = 0; n < count; n += 1) {
    for (const matches of matchers) if (matches(signal)) accepted += 1;
  }
  if (accepted !== count * 5_001) throw new Error(`${accepted} accepted`);
  return count * matchers.length;
}

/** RFC 6962's tree over all entries of an exported log, without a check of what they say. @returns their number. */
function hashed(folder: string): number {
  const entries = join(folder, 'tile/entries');
  const files = readdirSync(entries, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .toSorted();
  const sha256 = (prefix: number, ...parts: readonly Buffer[]) => {
    const hash = createHash('sha256').update(Buffer.of(prefix));
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const edge: (Buffer | undefined)[] = [];
  let count = 0;
  for (const file of files) {
    const bundle = readFileSync(file);
    for (let at = 0; at < bundle.length; count += 1) {
      const end = at + 2 + bundle.readUInt16BE(at);
      let node = sha256(0, bundle.subarray(at + 2, end));
      let level = 0;
      for (; edge[level] !== undefined; level += 1) {
        node = sha256(1, edge[level] as Buffer, node);
        edge[level] = undefined;
      }
      edge[level] = node;
      at = end;
    }
  }
  return count;
}

const { name, count, folder } = JSON.parse(process.argv[2] ?? '') as LoopSpec;
const { result: units, ...used } = await ownUse(() => loops[name](count, folder));
const result: LoopResult = { units, ...used };
sendResult(result);
