import { percentile, runLoad, say, table } from '../frame.ts';
import { cpuMs, residentMb } from '../processes.ts';
import type { Contender } from './contenders.ts';
import type { LoadResult, LoadSpec } from './load.ts';

export const manyConnections = 50;

export type Sample = LoadResult & { readonly cpuMsPerThousand: number; readonly residentMb: number };
export type Samples = ReadonlyMap<Contender, readonly Sample[]>;

/** Measures all in turn, `rounds` times, so that a noisy moment of the machine hits every one of them, and prints the medians. */
export async function takeTurns(
  contenders: readonly Contender[],
  { connections, rounds, durationMs }: { connections: number; rounds: number; durationMs: number },
): Promise<Samples> {
  const samples = new Map(contenders.map((contender) => [contender, [] as Sample[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, own] of samples) own.push(await measure(contender, connections, durationMs));
  }
  say(`${connections} connections, medians of ${rounds} rounds`);
  table([...samples].map(([{ name }, own]) => cellsOf(name, own)));
  return samples;
}

/** Loads one for a while. */
export async function measure(
  { url, headers, pid }: Contender,
  connections: number,
  durationMs: number,
): Promise<Sample> {
  const before = cpuMs(pid);
  const spec: LoadSpec = { url, headers, connections, durationMs };
  const result = await runLoad<LoadResult>(new URL('load.ts', import.meta.url), spec);
  return {
    ...result,
    cpuMsPerThousand: ((cpuMs(pid) - before) / result.requests) * 1_000,
    residentMb: residentMb(pid),
  };
}

/** @throws when a contender gave other answers: its figures would not be comparable. */
export function requireOnly(samples: Samples, contender: Contender, status: string): void {
  for (const { statuses, requests } of samples.get(contender) ?? []) {
    // The first request of a full bucket may still pass.
    if ((statuses[status] ?? 0) < requests - 2) {
      throw new Error(`${contender.name} answered ${JSON.stringify(statuses)} instead of ${status} alone`);
    }
  }
}

/** Two contenders compared within each round. */
export function paired(
  samples: Samples,
  contender: Contender,
  other: Contender,
  compare: (sample: Sample, beside: Sample) => number,
): number[] {
  const others = samples.get(other) ?? [];
  return (samples.get(contender) ?? []).map((sample, round) => compare(sample, others[round] ?? sample));
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
