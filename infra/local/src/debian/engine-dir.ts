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
  /** A command as run with the root as its file tree, in the same process. */
  readonly enter: (command: readonly string[]) => readonly string[];
  /** Removes the directory, wherever it lies. */
  readonly remove: () => void;
};

/** The file trees engines run in, and whether a mount namespace may be made. */
export type EnginePlace = {
  readonly root: EngineRoot;
  readonly dataDir: string;
  readonly mayMount: boolean;
};

/**
 * Names the directory of the engine `name`. The data belongs below `dataDir`, the engine sees only the
 * root: a bind mount in a mount namespace of the engine's own joins the two, and vanishes with the engine. To run the
 * engine without changing its root would not do: it could not reach its libraries and data through parents that
 * only root may enter, such as root's home. Where mounting is not permitted (a container without the
 * capability), the data lies inside the root.
 */
export function engineDir(name: string, { root, dataDir, mayMount }: EnginePlace): EngineDir {
  const hash = createHash('sha256').update(`${dataDir} ${name}`).digest('hex').slice(0, 16);
  const path = mayMount ? join(dataDir, name) : join(root.path, 'srv', hash);
  const remove = () => rmSync(path, { recursive: true, force: true });
  if (!mayMount) {
    const enter = (command: readonly string[]) => ['/usr/sbin/chroot', root.path, ...command];
    return { path, inRoot: `/srv/${hash}`, enter, remove };
  }
  // RabbitMQ reads the memory it has from /proc; without it only its own report of that fails.
  const script = 'mount --bind "$1" "$2/mnt" && mount --bind /proc "$2/proc" && shift && exec chroot "$@"';
  const enter = (command: readonly string[]) => [
    ...['/usr/bin/unshare', '--mount', '/bin/sh', '-c', script, 'sh', path, root.path],
    ...command,
  ];
  return { path, inRoot: '/mnt', enter, remove };
}

/** Writes files into an engine's directory, content by name; nobody else may read them. */
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
