import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { startOf } from './process-table.ts';

/** The process that holds the lock. `startedAt` distinguishes it from a later process with the same number. */
type Holder = { readonly pid: number; readonly startedAt: string };

/** A lock file that one living process holds at a time. */
export type Lock = { readonly release: () => void } | { readonly heldBy: number };

/** Takes the lock, or tells which process has it. The lock of a process that is gone is replaced. */
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
