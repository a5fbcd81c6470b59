import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DocumentdbRoot } from './documentdb-root.ts';

/** PostgreSQL's data of one data directory, and how its server, whose file tree is the root, reaches it. */
export type Cluster = {
  readonly dataDir: string;
  /** The same directory as the server sees it. */
  readonly dataDirInRoot: string;
  readonly password: string;
  /** A command as run with the root as its file tree, in the same process. */
  readonly enter: (command: readonly string[]) => readonly string[];
  /** Removes the data, wherever it lies. */
  readonly remove: () => void;
};

/**
 * Finds the cluster of `dataDir`, or creates it. The data belongs below `dataDir`, the server sees only the root:
 * a bind mount in a mount namespace of the server's own joins the two, and vanishes with the server. To run the
 * server without changing its root would not do: it could not reach its libraries and data through parents that
 * only root may enter, such as root's home. Where mounting is not permitted (a container without the
 * capability), the data lies inside the root.
 */
export function openCluster(dataDir: string, root: DocumentdbRoot, mayMount: boolean): Cluster {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const dir = mayMount ? join(dataDir, 'documentdb') : join(root.path, 'srv', name);
  mkdirSync(dir, { recursive: true });
  chownSync(dir, root.uid, root.gid);
  if (!existsSync(join(dir, 'data'))) copyTemplate(root, dir);
  adoptFiles(root, join(dir, 'data'));
  const common = {
    dataDir: join(dir, 'data'),
    password: readFileSync(join(dir, 'password'), 'utf8').trim(),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
  if (!mayMount) {
    const enter = (command: readonly string[]) => ['/usr/sbin/chroot', root.path, ...command];
    return { ...common, dataDirInRoot: `/srv/${name}/data`, enter };
  }
  const script = 'mount --bind "$1" "$2/mnt" && shift && exec chroot "$@"';
  const enter = (command: readonly string[]) => [
    ...['unshare', '--mount', '/bin/sh', '-c', script, 'sh', dir, root.path],
    ...command,
  ];
  return { ...common, dataDirInRoot: '/mnt/data', enter };
}

/** Copied aside and renamed, so that an interrupted copy is not taken for a cluster. */
function copyTemplate(root: DocumentdbRoot, dir: string): void {
  const unfinished = join(dir, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  copyOrMove(dir, ['cp', '-a', '--reflink=auto', root.templateCluster, unfinished]);
  // A root built later has another password: the one of this cluster stays beside its data.
  copyFileSync(root.passwordFile, join(dir, 'password'));
  renameSync(unfinished, join(dir, 'data'));
}

/** In a root built later the database's user may have got another number. */
function adoptFiles(root: DocumentdbRoot, data: string): void {
  if (statSync(data).uid === root.uid) return;
  copyOrMove(data, ['chown', '-R', `${root.uid}:${root.gid}`, data]);
}

function copyOrMove(where: string, [program = '', ...args]: readonly string[]): void {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  if (done.status === 0) return;
  throw new Error(`Could not prepare the database's data in ${where}: ${done.stderr || done.error?.message}`);
}
