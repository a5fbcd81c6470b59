import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { thisMachine } from '../machine.ts';
import { MachineLock } from '../machine-lock.ts';
import { cacheDir } from './cache-dir.ts';
import { type InstallOptions, lockPackages } from './packages.ts';
import { run } from './run.ts';

/** A program that is unpacked from a Debian package. The package itself is not installed. */
type UnpackedProgram = {
  readonly name: string;
  /** Whether this executable file runs here and is new enough. */
  readonly isUsable: (file: string) => boolean;
  /** The folder of the unpacked package in the cache directory. Each version needs a folder of its own. */
  readonly folder: string;
  /** The executable file below that folder. */
  readonly file: string;
  readonly unpack: (dir: string, options: InstallOptions) => Promise<void>;
};

/**
 * Finds a program: the machine's own, or Debian's, which the first call on a machine unpacks.
 * @returns the executable file.
 * @throws when there is no usable program and none can be unpacked here.
 */
export async function findOrUnpack(program: UnpackedProgram, options: InstallOptions): Promise<string> {
  const { name, isUsable } = program;
  if (isUsable(name)) return name;
  const root = join(cacheDir(), program.folder);
  const file = join(root, program.file);
  if (!existsSync(file)) {
    if (!thisMachine().isDebianRoot())
      throw new Error(`no usable ${name}: install it, or run as root on Debian to have it unpacked`);
    const waiting = () =>
      options.report(`  waiting for another process of this machine that unpacks ${name}`);
    await using _lock = await MachineLock.acquire(`root ${root}`, waiting);
    if (!existsSync(file)) {
      // Unpacked aside and renamed: an interrupted unpacking is not taken for the program.
      const unfinished = `${root}.unfinished`;
      rmSync(unfinished, { recursive: true, force: true });
      mkdirSync(dirname(root), { recursive: true });
      await program.unpack(unfinished, options);
      renameSync(unfinished, root);
    }
  }
  if (!isUsable(file)) throw new Error(`${file} does not run here; remove ${root} to have it unpacked again`);
  return file;
}

/** Unpacks packages of this machine's Debian release into a directory, and installs none. */
export async function unpackPackages(
  dir: string,
  packages: readonly string[],
  options: InstallOptions,
): Promise<void> {
  await using _lock = await lockPackages(options.report, options.signal);
  const what = `unpacking Debian's packages ${packages.join(', ')}`;
  options.report(`${what} (once on this machine)`);
  const download = join(dir, 'package');
  mkdirSync(download, { recursive: true });
  await run({ what: "reading Debian's package lists", command: ['apt-get', '-q', 'update'], ...options });
  const commands =
    'cd "$0" && dir=$1 && shift && apt-get -q download "$@" && for file in *.deb; do dpkg-deb -x "$file" "$dir" || exit; done';
  await run({ what, command: ['sh', '-c', commands, download, dir, ...packages], ...options });
  rmSync(download, { recursive: true });
}
