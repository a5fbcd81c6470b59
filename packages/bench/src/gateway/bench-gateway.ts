import { atLeast, atMost, type Bench, percentile, runLoad, say, table } from '../frame.ts';
import { cpuMs } from '../processes.ts';
import { benchStores } from '../system.ts';
import { type Contender, startContenders } from './contenders.ts';
import type { LoadResult, LoadSpec } from './load.ts';

const manyConnections = 50;

type Sample = LoadResult & { readonly cpuMsPerThousand: number };
type Samples = ReadonlyMap<Contender, readonly Sample[]>;

/**
 * The gateway beside a proxy that does nothing else, beside what one would assemble from parts, and beside the gateway of
 * another checkout if one is named. `seconds`: of each measurement. All take turns, `rounds` times, so that a noisy moment of
 * the machine hits every one of them.
 */
export const gateway: Bench = {
  parameters: { rounds: 5, seconds: 3, checkout: '' },
  run: async (scope, given) => {
    const { backing } = await benchStores(scope, process.env);
    const all = await startContenders(scope, backing, given.text('checkout'));
    const { bare, assembled, accepting, unlogged, traced, other } = all;
    const accepted = [bare, assembled, accepting, unlogged, traced, ...(other ? [other] : [])];
    const refused = [all.limited, all.badKey];
    const [rounds, durationMs] = [given.number('rounds'), given.number('seconds') * 1_000];

    say('warming up');
    for (const contender of [all.direct, ...accepted, ...refused]) {
      await measure(contender, manyConnections, durationMs);
    }
    const takeTurns = async (contenders: readonly Contender[], connections: number, eachMs: number) => {
      const samples = new Map(contenders.map((contender) => [contender, [] as Sample[]]));
      for (let round = 0; round < rounds; round += 1) {
        for (const [contender, own] of samples) own.push(await measure(contender, connections, eachMs));
      }
      say(`${connections} connections, medians of ${rounds} rounds`);
      table([...samples].map(([{ name }, own]) => cellsOf(name, own)));
      return samples;
    };
    const many = await takeTurns([...accepted, ...refused], manyConnections, durationMs);
    const one = await takeTurns([all.direct, bare, accepting], 1, Math.ceil(durationMs / 3));

    for (const contender of accepted) requireOnly(many, contender, '200');
    requireOnly(many, all.limited, '429');
    const ratio = (contender: Contender, beside: Contender) =>
      paired(many, contender, beside, (sample, its) => sample.perSecond / its.perSecond);
    atLeast('(c) / (a)', ratio(accepting, bare), 0.6);
    atLeast('(c) / (b)', ratio(accepting, assembled), 2);
    atLeast(`${traced.name} / untraced`, ratio(traced, accepting), 0.95);
    atLeast(`(c) / ${unlogged.name}`, ratio(accepting, unlogged), 0.97);
    const slower = paired(many, accepting, unlogged, (sample, its) => sample.p99Ms / its.p99Ms);
    atMost(`(c) / ${unlogged.name}, p99`, slower, 1.03);
    if (other) say(`(c) / ${other.name}: ${ratio(accepting, other).toFixed(2)}`);
    const added = paired(one, accepting, all.direct, (sample, its) => sample.p50Ms - its.p50Ms);
    atMost('p50 added at one connection, ms', added, 0.5);
    for (const contender of refused) {
      atLeast(`${contender.name} / accepted`, ratio(contender, accepting), 1.5);
    }
  },
};

async function measure(
  { url, headers, pid }: Contender,
  connections: number,
  durationMs: number,
): Promise<Sample> {
  const before = cpuMs(pid);
  const spec: LoadSpec = { url, headers, connections, durationMs };
  const result = await runLoad<LoadResult>(new URL('load.ts', import.meta.url), spec);
  return { ...result, cpuMsPerThousand: ((cpuMs(pid) - before) / result.requests) * 1_000 };
}

/** @throws when a contender gave other answers: its figures would not be comparable. */
function requireOnly(samples: Samples, contender: Contender, status: string): void {
  for (const { statuses, requests } of samples.get(contender) ?? []) {
    // The first request of a full bucket may still pass.
    if ((statuses[status] ?? 0) < requests - 2) {
      throw new Error(`${contender.name} answered ${JSON.stringify(statuses)} instead of ${status} alone`);
    }
  }
}

/** The median over rounds of two contenders compared within a round. */
function paired(
  samples: Samples,
  contender: Contender,
  other: Contender,
  compare: (sample: Sample, beside: Sample) => number,
): number {
  const others = samples.get(other) ?? [];
  const compared = (samples.get(contender) ?? []).map((sample, round) =>
    compare(sample, others[round] ?? sample),
  );
  return percentile(compared, 0.5);
}

function cellsOf(contender: string, samples: readonly Sample[]) {
  const median = (pick: (sample: Sample) => number) => percentile(samples.map(pick), 0.5);
  return {
    contender,
    'req/s': Math.round(median(({ perSecond }) => perSecond)),
    'p50 ms': median(({ p50Ms }) => p50Ms),
    'p99 ms': median(({ p99Ms }) => p99Ms),
    'CPU ms/k': median(({ cpuMsPerThousand }) => cpuMsPerThousand),
    generator: median(({ cpuShare }) => cpuShare),
    statuses: [...new Set(samples.flatMap(({ statuses }) => Object.keys(statuses)))].join(' '),
  };
}
