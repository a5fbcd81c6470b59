import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What the load generator sends. */
export type LoadSpec = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON to POST. Without it, requests are GET. */
  readonly body?: string;
  readonly connections: number;
  readonly durationMs: number;
};

/** What the load generator measured. */
export type LoadResult = {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Answers by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The part of one core that the generator itself used. */
  readonly cpuShare: number;
};

const generator = fileURLToPath(new URL('load.ts', import.meta.url));

/** Runs the load generator. @throws when a connection breaks. */
export async function runLoad(spec: LoadSpec): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [generator, JSON.stringify(spec)]);
  return JSON.parse(stdout) as LoadResult;
}

/** Clock ticks a second in /proc; fixed at 100 by Linux' interface to user space. */
export const ticksPerSecond = 100;

/** The CPU time of a process so far, all threads, user and system, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000;
}

/** The resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kb) / 1_000;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
