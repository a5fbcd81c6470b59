import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type InstallOptions, lockPackages } from './packages.ts';
import { run } from './run.ts';
import { findOrUnpack } from './unpacked-program.ts';

/**
 * Prometheus' `promtool` for tests of alert rules: the machine's own, or that of Debian's package `prometheus`, unpacked
 * once per machine (95 MB). The package is not installed, because it brings a service that would listen on every address
 * from the next start of the machine.
 * @returns the executable file.
 * @throws when there is no promtool and this is not root on Debian.
 */
export function ensurePromtool(options: InstallOptions): Promise<string> {
  return findOrUnpack(
    { name: 'promtool', isUsable, folder: 'promtool', file: 'usr/bin/promtool', unpack },
    options,
  );
}

async function unpack(dir: string, options: InstallOptions): Promise<void> {
  await using _lock = await lockPackages(options.report);
  const what = "unpacking promtool of Debian's package prometheus";
  options.report(`${what} (once on this machine)`);
  const download = join(dir, 'package');
  mkdirSync(download, { recursive: true });
  await run({ what: "reading Debian's package lists", command: ['apt-get', '-q', 'update'], ...options });
  const commands = 'cd "$0" && apt-get -q download prometheus && dpkg-deb -x prometheus_*.deb "$1"';
  await run({ what, command: ['sh', '-c', commands, download, dir], ...options });
  rmSync(download, { recursive: true });
}

function isUsable(promtool: string): boolean {
  return spawnSync(promtool, ['--version']).status === 0;
}
