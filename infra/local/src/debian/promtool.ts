import { spawnSync } from 'node:child_process';
import type { InstallOptions } from './packages.ts';
import { findOrUnpack, unpackPackages } from './unpacked-program.ts';

/**
 * Prometheus' `promtool` for tests of alert rules: the machine's own, or that of Debian's package `prometheus`, unpacked
 * once per machine (95 MB). The package is not installed, because it brings a service that would listen on every address
 * from the next start of the machine.
 * @returns the executable file.
 * @throws when there is no promtool and this is not root on Debian.
 */
export function ensurePromtool(options: InstallOptions): Promise<string> {
  return findOrUnpack(
    {
      name: 'promtool',
      isUsable,
      folder: 'promtool',
      file: 'usr/bin/promtool',
      unpack: (dir) => unpackPackages(dir, ['prometheus'], options),
    },
    options,
  );
}

function isUsable(promtool: string): boolean {
  return spawnSync(promtool, ['--version']).status === 0;
}
