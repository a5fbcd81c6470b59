import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackingOptions, type BackingServices, startBackingServices } from '../src/index.ts';
import { type Machine, thisMachine } from '../src/machine.ts';
import { statOf } from '../src/system/process-table.ts';

/** The first start on a machine builds the engines, which takes a minute, or more on a slow line. */
export const startTimeoutMs = 300_000;

/** This machine without a Docker engine, and with the given differences. */
export function machine(differences: Partial<Machine> = {}): Machine {
  return { ...thisMachine(), dockerAnswers: async () => false, ...differences };
}

/** Whether private instances can be started here. Their tests are skipped elsewhere. */
export const canStartInstances = thisMachine().isDebianRoot();

const temporaryDirs: string[] = [];

/** A new, empty directory, removed by `removeTemporaryDirs`. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sigcast-local-'));
  temporaryDirs.push(dir);
  return dir;
}

export function removeTemporaryDirs(): void {
  for (const dir of temporaryDirs) rmSync(dir, { recursive: true, force: true });
}

/** Backing services of the test's own. */
export function start(options: Partial<BackingOptions> = {}): Promise<BackingServices> {
  return startBackingServices({
    dataDir: temporaryDir(),
    env: {},
    report: () => undefined,
    ephemeral: true,
    machine: machine(),
    ...options,
  });
}

/** The database alone. The other addresses are given, and nobody connects to them. */
export function startMongo(options: Partial<BackingOptions> = {}): Promise<BackingServices> {
  const env = { REDIS_URL: 'redis://127.0.0.1:1', AMQP_URL: 'amqp://127.0.0.1:1' };
  return start({ env, ...options });
}

/** The bound of a wait for processes of the operating system, on a busy machine. */
export const within20s = { timeoutMs: 20_000 };

/** The number of a process, and the time of its start: a later process may have the same number. */
type ProcessId = { readonly pid: number; readonly startedAt: string };

/** All processes below `pid`, at any depth. */
export function descendants(pid: number): ProcessId[] {
  const all = readdirSync('/proc').flatMap((name) => {
    const stat = statOf(Number(name));
    return stat === undefined ? [] : [{ ...stat, pid: Number(name) }];
  });
  const found: ProcessId[] = [];
  const parents = new Set([pid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { pid: each, parent, startedAt } of all) {
      if (!parents.has(parent) || parents.has(each)) continue;
      parents.add(each);
      found.push({ pid: each, startedAt });
      grown = true;
    }
  }
  return found;
}

export function isRunning({ pid, startedAt }: ProcessId): boolean {
  const stat = statOf(pid);
  return stat?.startedAt === startedAt && stat.state !== 'Z';
}
