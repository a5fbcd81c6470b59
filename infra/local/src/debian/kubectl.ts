import { spawnSync } from 'node:child_process';
import { ensurePackages, type InstallOptions, mmdebstrapPackage } from './packages.ts';
import { run } from './run.ts';
import { findOrUnpack } from './unpacked-program.ts';

/** The oldest kustomize whose files may use `patches`, `labels` and `components`. */
const oldestKustomize = 5;

/** The Debian release whose kubernetes-client has that kustomize. The one of bookworm is from 2020. */
const release = 'trixie';

/**
 * `kubectl` for tests of manifests: the machine's own, or Debian's, unpacked once per machine (4 s, 90 MB). Tests use only
 * its kustomize, which needs no cluster.
 * @returns the executable file.
 */
export function ensureKubectl(options: InstallOptions): Promise<string> {
  return findOrUnpack(
    { name: 'kubectl', isUsable, folder: `kubectl-${release}`, file: 'usr/bin/kubectl', unpack },
    options,
  );
}

async function unpack(dir: string, options: InstallOptions): Promise<void> {
  await ensurePackages({ packages: [mmdebstrapPackage], ...options });
  const what = `unpacking Debian's kubernetes-client of ${release}`;
  options.report(`${what} (once on this machine)`);
  await run({
    what,
    ...options,
    command: [
      ...[mmdebstrapPackage.file, '--variant=extract', '--aptopt=APT::Install-Recommends "false"'],
      ...['--include=kubernetes-client', release, dir],
    ],
  });
}

function isUsable(kubectl: string): boolean {
  const { status, stdout } = spawnSync(kubectl, ['version', '--client', '--output', 'json'], {
    encoding: 'utf8',
  });
  const version = status === 0 ? /"kustomizeVersion": "v(\d+)/.exec(stdout)?.[1] : undefined;
  return Number(version ?? 0) >= oldestKustomize;
}
