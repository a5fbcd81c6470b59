import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; fixed at 100 by Linux' interface to user space. */
const ticksPerSecond = 100;

/** A line of /proc/<pid>/stat (proc(5)): CPU seconds of all threads, those of children that have ended in `endedCpuS`. */
function statOf(pid: number | string) {
  const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const nameEnd = line.lastIndexOf(')');
  const fields = line.slice(nameEnd + 2).split(' ');
  const seconds = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) / ticksPerSecond;
  const program = line.slice(line.indexOf('(') + 1, nameEnd);
  return { pid: Number(pid), parent: Number(fields[1]), program, cpuS: seconds(11), endedCpuS: seconds(13) };
}

/** The CPU time of a process so far in milliseconds. */
export function cpuMs(pid: number): number {
  return statOf(pid).cpuS * 1_000;
}

/** CPU seconds of the children of this process that have ended. */
export function endedChildrensCpuS(): number {
  return statOf('self').endedCpuS;
}

/** The resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kb) / 1_000;
}

/** What a process used, in all and at its end. */
export type OwnUse = { readonly seconds: number; readonly cpuS: number; readonly residentMb: number };

/** What this process uses while it does something. */
export async function ownUse<T>(act: () => T | Promise<T>): Promise<OwnUse & { readonly result: T }> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  return {
    result,
    seconds: (performance.now() - startedAt) / 1_000,
    cpuS: (user + system) / 1e6,
    residentMb: process.memoryUsage.rss() / 1e6,
  };
}

/** Follows a process until stopped: its highest memory, its share of a core, and whether it ends. */
export function follow(pid: number) {
  const seen = { highestMb: residentMb(pid), core: 0, ended: false };
  const [startedAt, cpuBeforeMs] = [performance.now(), cpuMs(pid)];
  const timer = setInterval(() => {
    try {
      seen.highestMb = Math.max(seen.highestMb, residentMb(pid));
      seen.core = (cpuMs(pid) - cpuBeforeMs) / (performance.now() - startedAt);
    } catch {
      seen.ended = true;
    }
  }, 50);
  return () => {
    clearInterval(timer);
    return seen;
  };
}

/**
 * CPU seconds that each child of this process has used so far, its own children's included. A child goes by its name in
 * `names`, or by its program's; those of one name are added up. Linux only.
 */
export function childrensCpuS(names: ReadonlyMap<number, string>): ReadonlyMap<string, number> {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [statOf(pid)];
      } catch {
        return []; // It has ended meanwhile.
      }
    });
  const children = Map.groupBy(all, ({ parent }) => parent);
  const sum = ({ pid, cpuS, endedCpuS }: ReturnType<typeof statOf>): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), cpuS + endedCpuS);
  const found = new Map<string, number>();
  for (const child of children.get(process.pid) ?? []) {
    const name = names.get(child.pid) ?? child.program;
    found.set(name, (found.get(name) ?? 0) + sum(child));
  }
  const { user, system } = process.cpuUsage();
  return found.set('bench', (user + system) / 1e6);
}
