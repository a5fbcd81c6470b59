import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { MachineLock } from '../machine-lock.ts';
import { type Report, run } from './run.ts';

/** A Debian package, and a file that exists when the package is installed. */
export type Package = { readonly name: string; readonly file: string };

export const chromiumPackage: Package = { name: 'chromium', file: '/usr/bin/chromium' };
export const mmdebstrapPackage: Package = { name: 'mmdebstrap', file: '/usr/bin/mmdebstrap' };

const policyFile = '/usr/sbin/policy-rc.d';
// The marker tells a policy that an interrupted installation left here from one of the machine's owner.
const policyScript =
  '#!/bin/sh\n# Temporary, by the Sigcast start script: installing a package starts no service.\nexit 101\n';

/**
 * Installs what is missing of `packages`, without starting any system-wide service. One process on a machine
 * does so at a time.
 */
export async function ensurePackages(options: {
  readonly packages: readonly Package[];
  readonly logFile: string;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const { packages, logFile, report, signal } = options;
  const missing = () => packages.filter((candidate) => !existsSync(candidate.file)).map(({ name }) => name);
  if (missing().length === 0) return;
  await using _lock = await MachineLock.acquire(
    'debian packages',
    () => report('  waiting for another process of this machine that is installing packages'),
    signal,
  );
  const names = missing();
  if (names.length === 0) return;
  const startedAt = Date.now();
  const what = `installing Debian's packages ${names.join(', ')}`;
  report(`${what} (once on this machine)`);
  const apt = ['apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=120'];
  await run({ what: "reading Debian's package lists", command: [...apt, 'update'], logFile, report, signal });
  const ours = installPolicy();
  try {
    const command = [...apt, 'install', '--no-install-recommends', ...names];
    await run({ what, command, logFile, report, signal });
  } finally {
    if (ours) rmSync(policyFile, { force: true });
  }
  const still = missing();
  if (still.length > 0)
    throw new Error(`${still.join(', ')} is still missing after its installation; see ${logFile}`);
  report(`  installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Installs the policy, unless the machine's owner has one. @returns whether the policy is to be removed afterwards. */
function installPolicy(): boolean {
  if (existsSync(policyFile)) return readFileSync(policyFile, 'utf8') === policyScript;
  writeFileSync(policyFile, policyScript, { mode: 0o755 });
  return true;
}
