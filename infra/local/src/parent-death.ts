import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/**
 * The command with a parent-death signal: the kernel sends the signal when the parent process dies, so a killed
 * supervisor leaves nothing behind. The command alone where the machine has no `setpriv`.
 */
export function dyingWithParent(signal: NodeJS.Signals, command: readonly string[]): readonly string[] {
  if (!existsSync(setpriv)) return command;
  return [setpriv, '--pdeathsig', signal.slice('SIG'.length), ...command];
}
