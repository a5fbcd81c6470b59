import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackingOptions, type BackingServices, startBackingServices } from '../src/index.ts';
import { type Machine, thisMachine } from '../src/machine.ts';

/** Installing for the first time takes up to a minute, on a slow line longer. */
export const startTimeoutMs = 300_000;

/** A machine like this one, but one without a Docker engine. */
export function machine(differences: Partial<Machine> = {}): Machine {
  return { ...thisMachine(), dockerAnswers: async () => false, ...differences };
}

/** Whether private instances can be started here; the tests of them are skipped elsewhere. */
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

/** The database alone: the other addresses are given, nobody connects to them. */
export function startMongo(options: Partial<BackingOptions> = {}): Promise<BackingServices> {
  const env = { REDIS_URL: 'redis://127.0.0.1:1', AMQP_URL: 'amqp://127.0.0.1:1' };
  return start({ env, ...options });
}

/** Waits until `condition` holds; fails with `what` after 20 s. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within 20 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A process and a mark of its start, as its number may be used again. */
export type ProcessId = { readonly pid: number; readonly startedAt: string };

/** All processes below `pid`, at any depth. */
export function descendants(pid: number): ProcessId[] {
  const all = readdirSync('/proc').flatMap((name) => statOf(Number(name)) ?? []);
  const found: ProcessId[] = [];
  const parents = new Set([pid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { id, parent } of all) {
      if (!parents.has(parent) || parents.has(id.pid)) continue;
      parents.add(id.pid);
      found.push(id);
      grown = true;
    }
  }
  return found;
}

/** What a process runs, and with which arguments; empty when it is gone. */
export function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

export function isRunning({ pid, startedAt }: ProcessId): boolean {
  const stat = statOf(pid);
  return stat?.id.startedAt === startedAt && stat.state !== 'Z';
}

function statOf(pid: number): { id: ProcessId; parent: number; state: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it may hold blanks and brackets: state, parent and, 20 on, the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { id: { pid, startedAt: fields[19] ?? '' }, parent: Number(fields[1]), state: fields[0] ?? '' };
  } catch {
    return undefined;
  }
}
