import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { thisMachine } from '../machine.ts';
import { MachineLock } from '../machine-lock.ts';
import { type Report, run } from './run.ts';

/**
 * Prometheus' promtool: the machine's own, else that of Debian's package `prometheus`, unpacked once per machine (95 MB). The
 * package is not installed: with it comes a service that listens on every address from the next start of the machine on.
 * @returns its executable file.
 * @throws that says what to do when there is none and none can be had.
 */
export async function debianPromtool(options: {
  readonly logFile: string;
  readonly report: Report;
}): Promise<string> {
  const own = 'promtool';
  if (runs(own)) return own;
  const root = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sigcast', 'promtool');
  const file = join(root, 'usr/bin/promtool');
  if (!existsSync(file)) {
    if (!thisMachine().isDebianRoot())
      throw new Error('no promtool: install it, or run as root on Debian to have it unpacked');
    const waiting = () => options.report('  waiting for another process of this machine that gets packages');
    await using _lock = await MachineLock.acquire('debian packages', waiting);
    if (!existsSync(file)) await unpack(root, options);
  }
  if (!runs(file)) throw new Error(`${file} does not run here; remove ${root} to have it unpacked again`);
  return file;
}

async function unpack(
  root: string,
  options: { readonly logFile: string; readonly report: Report },
): Promise<void> {
  const what = "unpacking promtool of Debian's package prometheus";
  options.report(`${what} (once on this machine)`);
  const unfinished = `${root}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, 'package'), { recursive: true });
  await run({ what: "reading Debian's package lists", command: ['apt-get', '-q', 'update'], ...options });
  const commands = 'cd "$0" && apt-get -q download prometheus && dpkg-deb -x prometheus_*.deb "$1"';
  const command = ['sh', '-c', commands, join(unfinished, 'package'), unfinished];
  await run({ what, command, ...options });
  rmSync(join(unfinished, 'package'), { recursive: true });
  mkdirSync(dirname(root), { recursive: true });
  renameSync(unfinished, root);
}

function runs(promtool: string): boolean {
  return spawnSync(promtool, ['--version']).status === 0;
}
