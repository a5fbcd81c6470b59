import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Statistics } from '@sigcast/contracts';
import {
  atLeast,
  atMost,
  atRate,
  type Bench,
  bar,
  latencyCells,
  percentile,
  runLoad,
  say,
  table,
} from './frame.ts';
import { type BenchSystem, benchSystem, importSignals, sayUsed } from './system.ts';
import type { UpdateResult, UpdateSpec } from './update-load.ts';

const readsPerSecond = 50;
const updateRates = [0, 100, 400];
/** Over which the signals were created. */
const days = 30;
/** The most that p99 may be without updates, in milliseconds. */
const p99BarMs = { list: 20, detail: 10, statistics: 10 };
/** The most that p99 may grow by updates. */
const worstRatio = 1.5;

type Group = keyof typeof p99BarMs;
const groups = Object.keys(p99BarMs) as Group[];
type Filled = { readonly ids: readonly string[]; readonly deepestCursor: string };

/** The paths that are asked in turn. Each turn has another stretch of time, so that nothing can remember what is there. */
function pathsOf({
  ids,
  deepestCursor,
}: Filled): Readonly<Record<Group, readonly ((turn: number) => string)[]>> {
  const since = (ageDays: number, turn: number) =>
    new Date(Date.now() - ageDays * 86_400_000 + (turn % 1_000) * 361_007).toISOString();
  const lists = [
    'limit=20',
    `limit=20&cursor=${deepestCursor}`,
    'type=wallet',
    'status=winner',
    'type=7d&status=rugged',
    'type=new,premium&status=winner,dead',
    'limit=100&page=10',
  ].map((query) => () => `/v1/signals?${query}`);
  const periods = ['period=24h', 'period=7d', 'period=30d', 'period=all', 'period=7d&type=premium'];
  return {
    list: [
      ...lists,
      (turn) => `/v1/signals?since=${since(14, turn)}`,
      (turn) => `/v1/signals?type=3d&since=${since(20, turn)}`,
    ],
    detail: [(turn) => `/v1/signals/${ids[(turn * 7_919) % ids.length]}`],
    statistics: periods.map((query) => () => `/v1/stats?${query}`),
  };
}

/** Lists, signals and statistics of a system with `size` signals, beside updates at several rates, `batch` in a request. */
export const reads: Bench = {
  parameters: { size: 1_000_000, batch: 1, seconds: 90 },
  run: async (scope, given) => {
    const bench = await benchSystem(scope);
    const filled = await fill(bench, given.number('size'));
    const idsFile = join(tmpdir(), `sigcast-bench-ids-${process.pid}`);
    scope.defer(() => rm(idsFile, { force: true }));
    await writeFile(idsFile, filled.ids.join('\n'));
    const paths = pathsOf(filled);
    const seconds = given.number('seconds');

    const phase = async (rate: number, phaseS: number) => {
      const latenciesMs: Record<Group, number[]> = { list: [], detail: [], statistics: [] };
      const asOfLagsMs: number[] = [];
      let failed = 0;
      const read = async (turn: number) => {
        const group = groups[turn % groups.length] ?? 'list';
        const round = Math.floor(turn / groups.length);
        const path = paths[group][round % paths[group].length]?.(round) ?? '';
        const startedAt = performance.now();
        const { status, body } = await bench.get(path);
        if (status !== 200) failed += 1;
        latenciesMs[group].push(performance.now() - startedAt);
        if (group === 'statistics') asOfLagsMs.push(Date.now() - Date.parse((body.data as Statistics).as_of));
      };
      const spec: UpdateSpec = {
        signalsUrl: bench.system.signalsUrl,
        token: bench.token,
        idsFile,
        batch: given.number('batch'),
        perSecond: rate,
        durationMs: phaseS * 1_000,
      };
      const updating =
        rate === 0 ? undefined : runLoad<UpdateResult>(new URL('update-load.ts', import.meta.url), spec);
      await atRate(readsPerSecond, (turn) => turn === phaseS * readsPerSecond, read);
      return { latenciesMs, asOfLagsMs, failed, updates: await updating };
    };

    let without: Readonly<Record<Group, number[]>> | undefined;
    for (const rate of updateRates) {
      // Processes just started are slower for some 1,500 requests; and what writes leave behind has to be usual.
      await phase(rate, Math.ceil(seconds / 3));
      const stop = await bench.measure();
      const { latenciesMs, asOfLagsMs, failed, updates } = await phase(rate, seconds);
      const used = await stop();
      say(`\nbeside ${rate} updates a second`);
      sayUsed(used, 'seconds', Math.round(used.seconds));
      table([
        ...groups.map((group) => ({ read: group, ...latencyCells(latenciesMs[group]) })),
        { read: 'as_of before answer', ...latencyCells(asOfLagsMs) },
        ...(updates ? [{ read: 'updates', ...latencyCells(updates.latenciesMs) }] : []),
      ]);
      bar(`reads that failed: ${failed}`, failed === 0);
      if (updates) {
        bar(`updates that failed: ${updates.failed}; left out: ${updates.leftOut}`, updates.failed === 0);
        atLeast('updates a second answered', updates.perSecond, 0.95 * rate);
      }
      for (const group of groups) {
        const p99 = percentile(latenciesMs[group], 0.99);
        if (without === undefined) atMost(`${group}: p99 without updates, ms`, p99, p99BarMs[group]);
        else atMost(`${group}: p99 / without updates`, p99 / percentile(without[group], 0.99), worstRatio);
      }
      without ??= latenciesMs;
    }
  },
};

/** Imports the signals, waits until statistics have all, and reads the list to its end. @throws when signals are missing. */
async function fill(bench: BenchSystem, size: number): Promise<Filled> {
  const { get } = bench;
  say(`importing ${size} signals`);
  await importSignals(bench, size, days);
  const ids: string[] = [];
  let deepestCursor = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    if (cursor !== '') deepestCursor = cursor;
    const { body } = await get(`/v1/signals?limit=100${cursor && `&cursor=${cursor}`}`);
    ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
    cursor = body.meta?.next_cursor ?? null;
  }
  if (new Set(ids).size !== size) throw new Error(`following cursors gave ${ids.length} of ${size} signals`);
  return { ids, deepestCursor };
}
