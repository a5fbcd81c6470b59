import { readdirSync, readFileSync } from 'node:fs';
import { ticksPerSecond } from '../run-load.ts';

/** A line of /proc/<pid>/stat (proc(5)), as far as it is needed. */
type Stat = {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly cpuS: number;
};

/**
 * CPU seconds that each child of this process has used so far, its own children's included: all threads, user and system.
 * A child goes by its name in `names`, or by its program's; those of one name are added up. Linux only.
 */
export function childrensCpuS(names: ReadonlyMap<number, string>): ReadonlyMap<string, number> {
  const children = new Map<number, Stat[]>();
  for (const stat of allProcesses()) children.set(stat.parent, [...(children.get(stat.parent) ?? []), stat]);
  const sum = ({ pid, cpuS }: Stat): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), cpuS);
  const found = new Map<string, number>();
  for (const child of children.get(process.pid) ?? []) {
    const name = names.get(child.pid) ?? child.program;
    found.set(name, (found.get(name) ?? 0) + sum(child));
  }
  const { user, system } = process.cpuUsage();
  return found.set('bench', (user + system) / 1e6);
}

function allProcesses(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [parse(readFileSync(`/proc/${pid}/stat`, 'latin1'))];
      } catch {
        return []; // It has ended meanwhile.
      }
    });
}

function parse(line: string): Stat {
  const [nameStart, nameEnd] = [line.indexOf('('), line.lastIndexOf(')')];
  const fields = line.slice(nameEnd + 2).split(' ');
  // `utime`, `stime`, and those of children that have ended: `cutime`, `cstime`.
  const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
  return {
    pid: Number(line.slice(0, nameStart)),
    parent: Number(fields[1]),
    program: line.slice(nameStart + 1, nameEnd),
    cpuS: ticks / ticksPerSecond,
  };
}
