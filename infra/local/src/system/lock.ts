import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whoever holds the lock. `startedAt` tells a process from a later one of the same number. */
type Holder = { readonly pid: number; readonly startedAt: string };

/** A lock file that one living process holds at a time. */
export type Lock = { readonly release: () => void } | { readonly heldBy: number };

/** Takes the lock, or tells which process has it. A lock whose process is gone is taken over. */
export function takeLock(file: string): Lock {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      const handle = openSync(file, 'wx', 0o600);
      writeSync(
        handle,
        JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) ?? '' } satisfies Holder),
      );
      closeSync(handle);
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = readHolder(file);
      if (holder && startOf(holder.pid) === holder.startedAt) return { heldBy: holder.pid };
      rmSync(file, { force: true });
    }
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** When a process started, in the kernel's clock ticks (proc(5), field 22); undefined when it is gone. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return process.platform === 'linux' ? undefined : aliveElsewhere(pid);
  }
}

/** Without /proc only the number can be asked for. */
function aliveElsewhere(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return '';
  } catch {
    return undefined;
  }
}
