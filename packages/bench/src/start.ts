import type { ProcessName } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { atMost, type Bench, inFlight, latencyCells, percentile, say, table } from './frame.ts';
import { cpuMs, residentMb } from './processes.ts';
import { startReceivers } from './receivers.ts';
import { signalOf } from './signals.ts';
import { atRest, type BenchSystem, benchSystem, pidOf, sayUsed } from './system.ts';

/** Of CPU, from the start of a process until it is ready. */
const startBarMs = 1_000;
/** The most memory of a process in MB: some quarter more than the highest of three runs. */
const memoryBarsMb: Readonly<Record<ProcessName, { readonly idle: number; readonly loaded: number }>> = {
  signals: { idle: 185, loaded: 425 },
  stats: { idle: 185, loaded: 250 },
  'webhooks-api': { idle: 185, loaded: 230 },
  'webhooks-worker': { idle: 190, loaded: 370 },
  tracker: { idle: 200, loaded: 250 },
  gateway: { idle: 275, loaded: 360 },
};

/**
 * All processes of a system, whose stores run, start at once: the first answer of the API, all ready, and the CPU time of each.
 * Then their memory at rest, and after `requests` writes and as many reads.
 */
export const start: Bench = {
  parameters: { rounds: 5, requests: 3_000 },
  run: async (scope, given) => {
    const bench = await benchSystem(scope);
    const { system, get, measure } = bench;
    const names = Object.keys(system.processes) as ProcessName[];
    const all = Object.values(system.processes);
    const [answersMs, readyMs]: [number[], number[]] = [[], []];
    const startsMs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
      ProcessName,
      number[]
    >;
    const rounds = given.number('rounds');
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(all.map((process) => process.stop()));
      const stop = await measure();
      const startedAt = performance.now();
      const firstAnswer = eventually(
        async () => {
          const { status } = await get('/v1/stats');
          if (status !== 200) throw new Error(`the API answers ${status}`);
        },
        { everyMs: 10, timeoutMs: 60_000 },
      ).then(() => answersMs.push(performance.now() - startedAt));
      await Promise.all(
        names.map(async (name) => {
          await system.processes[name].start();
          startsMs[name].push(cpuMs(pidOf(bench, name)));
        }),
      );
      readyMs.push(performance.now() - startedAt);
      await firstAnswer;
      sayUsed(await stop(), 'starts', 1);
    }
    await atRest(bench);
    const idleMb = new Map(names.map((name) => [name, residentMb(pidOf(bench, name))]));
    const requests = given.number('requests');
    await load(scope, bench, requests);
    const loadedMb = new Map(names.map((name) => [name, residentMb(pidOf(bench, name))]));

    say(`${rounds} starts of ${all.length} processes`);
    table([
      { until: 'first answer', ...latencyCells(answersMs) },
      { until: 'all ready', ...latencyCells(readyMs) },
    ]);
    table(
      names.map((name) => ({
        process: name,
        'CPU ms of a start': percentile(startsMs[name], 0.5),
        'MB idle': idleMb.get(name) ?? 0,
        [`MB after ${requests} writes and reads`]: loadedMb.get(name) ?? 0,
      })),
    );
    atMost('all ready, ms', percentile(readyMs, 0.5), 10_000);
    for (const name of names) {
      atMost(`${name}: CPU of a start, ms`, percentile(startsMs[name], 0.5), startBarMs);
      atMost(`${name}: idle, MB`, idleMb.get(name) ?? 0, memoryBarsMb[name].idle);
      atMost(`${name}: loaded, MB`, loadedMb.get(name) ?? 0, memoryBarsMb[name].loaded);
    }
  },
};

/** Writes signals, each with a delivery, and reads lists, signals and statistics, 20 requests at a time. */
async function load(scope: AsyncDisposableStack, bench: BenchSystem, requests: number): Promise<void> {
  const receivers = await startReceivers(scope, bench);
  await receivers.subscribe('/all', 'new', 'all');
  let arrived = 0;
  receivers.onWebhook = () => {
    arrived += 1;
  };
  const paths = (id: string) => ['/v1/signals', `/v1/signals/${id}`, '/v1/stats', '/v1/webhooks'];
  await inFlight(20, requests, async (n) => {
    const { id } = await bench.produce<{ id: string }>('POST', '', signalOf(n, 'new'));
    const { status } = await bench.get(paths(id)[n % 4] ?? '');
    if (status !== 200) throw new Error(`${status}`);
  });
  await eventually(
    () => {
      if (arrived < requests) throw new Error(`${arrived} of ${requests} arrived`);
    },
    { timeoutMs: 120_000 },
  );
}
