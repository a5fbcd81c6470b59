import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { MachineLock } from '../machine-lock.ts';
import { ensurePackages, mmdebstrapPackage } from './packages.ts';
import { type Report, run } from './run.ts';

/** The oldest kustomize whose files may use `patches`, `labels` and `components`. */
const oldestKustomize = 5;

/** Debian's release whose kubernetes-client has it; that of bookworm is of 2020. */
const release = 'trixie';

/**
 * A kubectl with a kustomize of today in it: the machine's own, else Debian's, unpacked once per machine (4 s, 90 MB).
 * @returns its executable file.
 */
export async function debianKubectl(options: {
  readonly logFile: string;
  readonly report: Report;
}): Promise<string> {
  const own = 'kubectl';
  if (isRecent(own)) return own;
  const root = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sigcast', `kubectl-${release}`);
  const file = join(root, 'usr/bin/kubectl');
  if (!existsSync(file)) {
    const waiting = () =>
      options.report('  waiting for another process of this machine that unpacks kubectl');
    await using _lock = await MachineLock.acquire(`root ${root}`, waiting);
    if (!existsSync(file)) await unpack(root, options);
  }
  if (!isRecent(file)) throw new Error(`${file} does not run here; remove ${root} to have it unpacked again`);
  return file;
}

async function unpack(
  root: string,
  options: { readonly logFile: string; readonly report: Report },
): Promise<void> {
  await ensurePackages({ packages: [mmdebstrapPackage], ...options });
  const unfinished = `${root}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dirname(root), { recursive: true });
  const what = `unpacking Debian's kubernetes-client of ${release}`;
  options.report(`${what} (once on this machine)`);
  await run({
    ...{ what, ...options },
    command: [
      ...[mmdebstrapPackage.file, '--variant=extract', '--aptopt=APT::Install-Recommends "false"'],
      ...['--include=kubernetes-client', release, unfinished],
    ],
  });
  renameSync(unfinished, root);
}

function isRecent(kubectl: string): boolean {
  const { status, stdout } = spawnSync(kubectl, ['version', '--client', '--output', 'json'], {
    encoding: 'utf8',
  });
  const version = status === 0 ? /"kustomizeVersion": "v(\d+)/.exec(stdout)?.[1] : undefined;
  return Number(version ?? 0) >= oldestKustomize;
}
