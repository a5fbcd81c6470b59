import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** The capabilities of a machine that decide where backing services come from. */
export type Machine = {
  dockerAnswers(): Promise<boolean>;
  isDebianRoot(): boolean;
  /** Whether a mount namespace may be made, which many containers forbid. */
  mayMount(): boolean;
};

/** A running engine answers at once. An engine that hangs counts as absent. */
const dockerTimeoutMs = 5_000;

/** The machine this process runs on. */
export function thisMachine(): Machine {
  return {
    dockerAnswers: () => succeeds('docker', ['info', '--format', '{{.ServerVersion}}']),
    isDebianRoot: () =>
      process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get'),
    mayMount: () => spawnSync('unshare', ['--mount', 'mount', '--bind', '/', '/']).status === 0,
  };
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, args, { timeout: dockerTimeoutMs }).then(
    () => true,
    () => false,
  );
}
