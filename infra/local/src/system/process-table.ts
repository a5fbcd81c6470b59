import { readFileSync } from 'node:fs';

/** When a process started, in the kernel's clock ticks (proc(5), field 22); undefined when it is gone. */
export function startOf(pid: number): string | undefined {
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

/** Programs that run a package's script for a person: when one of them ends, so should the script. */
const launcher = /^(sh -c|(\S*\/)?(node )?(\S*\/)?(npx|npm|pnpm)\b)/;

/** The launchers above this process, nearest first: `npx pnpm start` makes four of them. Empty without /proc. */
export function launchers(): readonly number[] {
  const found: number[] = [];
  for (let pid = process.ppid; pid > 1; ) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      if (!launcher.test(command)) break;
      found.push(pid);
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      break;
    }
  }
  return found;
}
