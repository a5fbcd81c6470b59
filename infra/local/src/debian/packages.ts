import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { secondsSince } from '../elapsed.ts';
import { MachineLock } from '../machine-lock.ts';
import type { Report } from '../report.ts';
import { run } from './run.ts';

/** A Debian package, and a file that exists when the package is installed. */
export type Package = { readonly name: string; readonly file: string };

export type InstallOptions = {
  /** What the package manager prints is appended here. */
  readonly logFile: string;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
};

export const mmdebstrapPackage: Package = { name: 'mmdebstrap', file: '/usr/bin/mmdebstrap' };

const policyFile = '/usr/sbin/policy-rc.d';
// By its text, a policy that an interrupted installation left behind differs from one of the machine's owner.
const policyScript =
  '#!/bin/sh\n# Temporary, by the Sigcast start script: installing a package starts no service.\nexit 101\n';

/** Keeps other processes of this machine from using the package manager. */
export function lockPackages(report: Report, signal?: AbortSignal): Promise<MachineLock> {
  const waiting = () => report('  waiting for another process of this machine that is installing packages');
  return MachineLock.acquire('debian packages', waiting, signal);
}

/**
 * Installs the missing ones of `packages`, without starting any system-wide service. One process of a machine installs
 * at a time.
 */
export async function ensurePackages(
  options: InstallOptions & { readonly packages: readonly Package[] },
): Promise<void> {
  const { packages, logFile, report, signal } = options;
  const missing = () => packages.filter((candidate) => !existsSync(candidate.file)).map(({ name }) => name);
  if (missing().length === 0) return;
  await using _lock = await lockPackages(report, signal);
  const names = missing();
  if (names.length === 0) return;
  const startedAt = performance.now();
  const what = `installing Debian's packages ${names.join(', ')}`;
  report(`${what} (once on this machine)`);
  const apt = ['apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=1'];
  await run({ what: "reading Debian's package lists", command: [...apt, 'update'], logFile, report, signal });
  const isOurs = installPolicy();
  try {
    const command = [...apt, 'install', '--no-install-recommends', ...names];
    await run({ what, command, logFile, report, signal });
  } finally {
    if (isOurs) rmSync(policyFile, { force: true });
  }
  const still = missing();
  if (still.length > 0)
    throw new Error(`${still.join(', ')} is still missing after its installation; see ${logFile}`);
  report(`  installed in ${secondsSince(startedAt)} s`);
}

/**
 * Installs a policy that keeps packages from starting services, unless the machine's owner has one.
 * @returns whether the policy is ours, to be removed afterwards.
 */
function installPolicy(): boolean {
  if (existsSync(policyFile)) return readFileSync(policyFile, 'utf8') === policyScript;
  writeFileSync(policyFile, policyScript, { mode: 0o755 });
  return true;
}
