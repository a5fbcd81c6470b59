import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { maxObservations } from '@sigcast/contracts';
import { startBackingServices } from '@sigcast/local';
import { request } from 'undici';
import { type ApiReader, apiReader } from '../api-reader.ts';
import { type FilledSystem, filledSystem } from '../filled-system.ts';
import { type StoreView, storeView } from '../store-view.ts';
import { startImport } from './import-load.ts';
import { groups } from './kinds.ts';
import { type Measured, measurePhase, type Phase, type Subject } from './measured-phase.ts';
import { untilEqual } from './recount.ts';
import { startReplicas } from './replicas.ts';
import { bars, describe } from './report-under-writes.ts';
import { startUpdates } from './updates.ts';

const usualSize = 1_000_000;
const usualRates = [400, 1_000];
/** Over which the signals were created. */
const days = 30;
const replicas = 3;
/** Beside an import: enough for the import to go slowly. */
const updatesBesideImport = 20;

/**
 * `bench reads under-writes [SIZE [UPDATES_PER_SECOND…]] [--batch N]`: what changes of signals of any age cost those who read. 50 reads
 * a second through the gateway, without updates, at each rate of them, and without again; beside an import; then with three
 * of the statistics' processes at the first rate. Updates are sent one by one, or N in a request.
 */
export async function benchUnderWrites(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { batch: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const [size = usualSize, ...given] = positionals.map(Number);
  const batch = Number(values.batch);
  const rates = given.length > 0 ? given : usualRates;
  const isValid =
    Number.isInteger(size) &&
    size >= 1_000 &&
    rates.every((rate) => rate >= 1 && rate <= 10_000) &&
    Number.isInteger(batch) &&
    batch >= 1 &&
    batch <= maxObservations;
  if (!isValid) {
    throw new Error(
      `bench reads under-writes [SIZE [UPDATES_PER_SECOND…]] [--batch N]: SIZE is a whole number from 1000, rates are numbers from 1 to 10000, N is a whole number from 1 to ${maxObservations}`,
    );
  }
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const dataDir = await mkdtemp(join(tmpdir(), 'sigcast-bench-'));
  // Stores of its own, whatever the environment names: others' load on them would be in every number.
  const stores = await startBackingServices({ dataDir, env: {}, ephemeral: true, report: say });
  scope.defer(() => stores.stop());
  say(`filling a system with ${size} signals`);
  const filled = await filledSystem(scope, { stores, size, days, dataDir: join(dataDir, 'systems'), say });
  const store = await storeView(scope, stores.mongodbUri, filled.namespace);
  const signalsFile = join(dataDir, 'signals');
  await listSignals(store, signalsFile);
  await filled.start();
  const { signalsUrl } = filled.system;
  const updates = startUpdates(scope, { signalsUrl, token: filled.token, signalsFile, batch });
  const names = new Map([
    ...Object.values(filled.system.processes).map(({ name, pid = -1 }) => [pid, name] as const),
    ...[[store.pid, 'documentdb-gateway'] as const, [updates.pid, 'updates'] as const],
  ]);

  const done: Measured[] = [];
  const run = async (phase: Phase, subject: Subject) => {
    const load = phase.isImporting ? startImport(filled, days) : undefined;
    const measured = await measurePhase(phase, subject);
    const imported = await load?.end();
    done.push(measured);
    for (const line of describe(measured, done[0] ?? measured)) say(line);
    if (imported !== undefined) say(`  imported meanwhile, and while warming up: ${imported} signals`);
    if (phase.rate === 0) return;
    await updates.setRate(0);
    const probe = await writeProbe(filled, done.length);
    const equalAt = await untilEqual(subject.read.get, store, ({ best_roi }) => best_roi === probe.roi);
    say(
      `  statistics equal a recount ${((equalAt - probe.writtenAt) / 1_000).toFixed(2)} s after the last write`,
    );
  };
  const { gatewayUrl } = filled.system;
  const usual: Subject = {
    store,
    updates,
    names,
    read: { ...filled, get: readerByGroup(scope, gatewayUrl, filled.key) },
  };
  await run({ name: 'without', rate: 0, replicas: 1 }, usual);
  for (const rate of rates) await run({ name: `${rate}/s`, rate, replicas: 1 }, usual);
  await run({ name: 'without, again', rate: 0, replicas: 1 }, usual);
  await run({ name: 'an import', rate: updatesBesideImport, replicas: 1, isImporting: true }, usual);
  const added = await startReplicas(scope, filled.system, replicas);
  const [rate = 0] = rates;
  await run(
    { name: `${rate}/s, ${replicas} replicas of stats`, rate, replicas },
    {
      ...usual,
      read: { ...filled, get: readerByGroup(scope, added.gatewayUrl, filled.key) },
      names: new Map([...names, ...added.names]),
    },
  );
  say('');
  for (const line of bars(done)) say(line);
}

/** Each group has connections of its own: one that is slow makes no other wait here. */
function readerByGroup(scope: AsyncDisposableStack, gatewayUrl: string, key: string): ApiReader {
  const [list, detail, statistics] = groups.map(() => apiReader(scope, gatewayUrl, key));
  return (path) => {
    const reader = path.startsWith('/v1/stats')
      ? statistics
      : path.startsWith('/v1/signals/')
        ? detail
        : list;
    if (reader === undefined) throw new Error(`nothing reads ${path}`);
    return reader(path);
  };
}

/** Writes a line for each signal: id and status. */
async function listSignals(store: StoreView, file: string): Promise<void> {
  const all = store
    .database('signals')
    .collection<{ _id: string; status: string }>('signals')
    .find({}, { projection: { status: 1 } });
  const lines: string[] = [];
  for await (const { _id, status } of all) lines.push(`${_id} ${status}\n`);
  await writeFile(file, lines.join(''));
}

/** Raises one signal above all others, another time higher each time: when statistics show it, they have the last write. */
async function writeProbe({ system, token, ids }: FilledSystem, time: number) {
  const { statusCode, body } = await request(`${system.signalsUrl}/internal/v1/signals/${ids[0]}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metrics: { mcap_current: 10_000_000 + time * 1_000_000 } }),
  });
  const writtenAt = performance.now();
  const { data } = (await body.json()) as { data: { performance: { roi: number } } };
  if (statusCode !== 200) throw new Error(`the last write: ${statusCode}`);
  return { roi: data.performance.roi, writtenAt };
}
