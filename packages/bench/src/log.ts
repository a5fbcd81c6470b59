import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@sigcast/testing';
import { canonicalJson, checkpointOf } from '@sigcast/tlog';
import { type Collection, createConnection, mongo } from 'mongoose';
import { atLeast, atMost, type Bench, bar, latencyCells, percentile, say, table } from './frame.ts';
import { signalOf } from './signals.ts';
import { type BenchSystem, benchSystem, sayUsed } from './system.ts';

const run = promisify(execFile);
export const client = fileURLToPath(new URL('../../client/src/cli/main.ts', import.meta.url));
const operator = fileURLToPath(new URL('../../../services/tracker/src/operator.ts', import.meta.url));
/** Entries that are put in front of the writer at once. */
const batch = 2_000;
/** The bars at a million entries; a verification has its share of the time where there are fewer. */
const [appendsPerSecond, verifyS, proofP99Ms, million] = [1_000, 60, 20, 1_000_000];

/** The public log with `entries` entries: its growth, its verification, `proofs` proofs, and what it takes. */
export const log: Bench = {
  parameters: { entries: million, proofs: 2_000 },
  run: async (scope, given) => {
    const bench = await benchSystem(scope);
    const dbName = 'sigcast_tracker';
    const connection = await createConnection(bench.backing.mongodbUri, { dbName }).asPromise();
    scope.defer(() => connection.close());
    const entries = given.number('entries');

    say(`appending ${entries} entries`);
    const used = await bench.measure();
    const appendS = await secondsOf(() => append(bench, connection.collection('log_waiting'), entries));
    sayUsed(await used(), 'entries', entries);

    say('verifying all of them');
    const wholeS = await secondsOf(async () => {
      const env = { ...process.env, SIGCAST_URL: bench.system.gatewayUrl };
      const { stdout } = await run(process.execPath, [client, 'verify', '--log-only'], { env });
      say(stdout);
    });

    const prove = async (count: number) => {
      const latenciesMs: number[] = [];
      let failed = 0;
      for (let n = 0; n < count; n += 1) {
        const startedAt = performance.now();
        const { status } = await bench.get(`/v1/signals/${idOf((n * 7_919) % entries)}/proof`);
        latenciesMs.push(performance.now() - startedAt);
        if (status !== 200) failed += 1;
      }
      return { latenciesMs, failed };
    };
    const proofs = given.number('proofs');
    // Processes just started are slower for some 1,500 requests.
    await prove(1_500);
    const usedByProofs = await bench.measure();
    const { latenciesMs, failed } = await prove(proofs);
    sayUsed(await usedByProofs(), 'proofs', proofs);
    table([{ requests: 'proof of a signal', ...latencyCells(latenciesMs) }]);

    const folder = await mkdtemp(join(tmpdir(), 'sigcast-bench-log-'));
    scope.defer(() => rm(folder, { recursive: true }));
    const exportS = await secondsOf(() => exportLog(bench, folder));
    const storedBytes =
      (await bsonBytes(connection.collection('log_entries'))) +
      (await bsonBytes(connection.collection('log_tiles')));
    table([
      { bytes: 'BSON in the store, without indexes', 'each entry': storedBytes / entries, seconds: '' },
      { bytes: 'exported files', 'each entry': (await bytesBelow(folder)) / entries, seconds: exportS },
    ]);

    atLeast('entries appended a second', entries / appendS, appendsPerSecond);
    atMost('verification of all, s', wholeS, (verifyS * entries) / million);
    bar(`proofs that failed: ${failed}`, failed === 0);
    atMost('proof: p99, ms', percentile(latenciesMs, 0.99), proofP99Ms);
  },
};

function idOf(n: number): string {
  return `sig_${String(n).padStart(20, '0')}`;
}

/** Lets the log grow by so many entries, which were none before. */
export async function append(bench: BenchSystem, waiting: Collection, entries: number): Promise<void> {
  await addWaiting(waiting, entries);
  await eventually(async () => requireSize(bench, entries), { timeoutMs: 3_600_000, everyMs: 200 });
}

/** Writes the whole log into a folder, as the operator does. */
export async function exportLog({ backing }: BenchSystem, folder: string): Promise<void> {
  const env = { ...process.env, MONGODB_URI: backing.mongodbUri };
  await run(process.execPath, [operator, 'log', 'export', '--out', folder], { env });
}

/** Adds entries of new signals, as the tracker does when it gets their events. */
async function addWaiting(waiting: Collection, entries: number): Promise<void> {
  for (let from = 0; from < entries; from += batch) {
    const documents = Array.from({ length: Math.min(batch, entries - from) }, (_, n) => {
      const { token, metrics, type, is_premium } = signalOf(from + n, 'new');
      const { contract, symbol } = token;
      const { mcap_entry, liquidity, volume_24h, holders } = metrics;
      const signal = idOf(from + n);
      const text = canonicalJson({
        ...{ v: 1, kind: 'signal', signal, type, is_premium, source: 'producer' },
        created_at: new Date().toISOString(),
        token: { chain: 'solana', contract, symbol },
        metrics: { mcap_entry, liquidity, volume_24h, holders },
      });
      return { _id: `signal:${signal}` as never, kind: 'signal', signal, text, at: new Date() };
    });
    await waiting.insertMany(documents, { ordered: false });
  }
}

/** @throws unless the newest checkpoint is of so many entries. */
async function requireSize({ system }: BenchSystem, entries: number): Promise<void> {
  const note = await (await fetch(`${system.gatewayUrl}/log/checkpoint`)).text();
  const size = checkpointOf(note)?.size ?? 0;
  if (size !== entries) throw new Error(`the log has ${size} of ${entries} entries`);
}

async function bsonBytes(collection: Collection): Promise<number> {
  let bytes = 0;
  for await (const document of collection.find({})) bytes += mongo.BSON.calculateObjectSize(document);
  return bytes;
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (file.isFile()) bytes += (await stat(join(file.parentPath, file.name))).size;
  return bytes;
}

async function secondsOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return (performance.now() - startedAt) / 1_000;
}
