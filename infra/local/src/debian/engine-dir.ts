import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { EngineRoot } from './engine-root.ts';

/** The directory of one engine's data, and how the engine reaches that directory. `writeFiles` or the caller creates it. */
export type EngineDir = {
  readonly path: string;
  /** The same directory as the engine sees it. */
  readonly inRoot: string;
  /** The command that runs `command` with the root as its file tree, without a process in between. */
  readonly enter: (command: readonly string[]) => readonly string[];
  /** Removes the directory, wherever it lies. */
  readonly remove: () => void;
};

/** Where engines run: the file tree of their programs, and the directory of their data. */
export type EnginePlace = {
  readonly root: EngineRoot;
  readonly dataDir: string;
  /** Whether a mount namespace may be made. */
  readonly mayMount: boolean;
};

/**
 * Names the directory of the engine `name`. The data belongs below `dataDir`, but the engine sees only the root. A bind
 * mount in the engine's own mount namespace makes the data visible there, and vanishes with the engine. The engine needs
 * the root as its file tree: outside of it, an engine could not reach libraries and data below directories that only
 * root may enter, such as root's home. Where mounting is not permitted (a container without the capability), the data
 * lies inside the root.
 */
export function engineDir(name: string, { root, dataDir, mayMount }: EnginePlace): EngineDir {
  const hash = createHash('sha256').update(`${dataDir} ${name}`).digest('hex').slice(0, 16);
  const path = mayMount ? join(dataDir, name) : join(root.path, 'srv', hash);
  const remove = () => rmSync(path, { recursive: true, force: true });
  if (!mayMount) {
    const enter = (command: readonly string[]) => ['/usr/sbin/chroot', root.path, ...command];
    return { path, inRoot: `/srv/${hash}`, enter, remove };
  }
  // RabbitMQ reads from /proc how much memory it uses. Without /proc, only its report of that fails.
  const script = 'mount --bind "$1" "$2/mnt" && mount --bind /proc "$2/proc" && shift && exec chroot "$@"';
  const enter = (command: readonly string[]) => [
    ...['/usr/bin/unshare', '--mount', '/bin/sh', '-c', script, 'sh', path, root.path],
    ...command,
  ];
  return { path, inRoot: '/mnt', enter, remove };
}

/** Writes files into an engine's directory: content by name. Only their owner may read them. */
export function writeFiles(dir: EngineDir, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(dir.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o600 });
  }
}

/**
 * Runs a program of the root to its end and returns what it printed.
 * @throws when it fails, with what it printed.
 */
export async function runInside(
  dir: EngineDir,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const [program = '', ...args] = dir.enter(command);
  try {
    const { stdout } = await promisify(execFile)(program, args, { env, cwd: '/' });
    return stdout;
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    throw new Error(`${command.join(' ')} failed: ${stdout}${stderr}`, { cause });
  }
}
