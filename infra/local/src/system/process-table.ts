import { readFileSync } from 'node:fs';

/** What the kernel says of a process (proc(5), /proc/pid/stat). */
type ProcessStat = {
  /** `R` running, `S` sleeping, `Z` zombie, … */
  readonly state: string;
  readonly parent: number;
  /** In the kernel's clock ticks since the machine started. */
  readonly startedAt: string;
};

/** Undefined when the process is gone, and where there is no /proc. */
export function statOf(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, which is in brackets, may hold blanks and brackets. The first field behind it is the state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** When a process started, as a text to compare; undefined when the process is gone. */
export function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? statOf(pid)?.startedAt : aliveElsewhere(pid);
}

/** Without /proc, only the number of a process can be asked for. */
function aliveElsewhere(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return '';
  } catch {
    return undefined;
  }
}

/** The command lines of programs that run a package's script for a person. The script should end when one of them ends. */
const launcher = /^(sh -c|(\S*\/)?(node )?(\S*\/)?(npx|npm|pnpm)\b)/;

/** The launchers above this process, nearest first: `npx pnpm start` makes four of them. Empty without /proc. */
export function launchers(): readonly number[] {
  const found: number[] = [];
  for (let pid = process.ppid; pid > 1 && launcher.test(commandOf(pid)); pid = statOf(pid)?.parent ?? 0)
    found.push(pid);
  return found;
}

/** The program of a process and its arguments; empty when the process is gone, and where there is no /proc. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
