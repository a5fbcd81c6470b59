import { spawnSync } from 'node:child_process';
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
import type { EngineDir } from './engine-dir.ts';
import type { EngineRoot } from './engine-root.ts';

/** The data of a PostgreSQL server. */
export type Cluster = {
  /** The directory of the server's files. */
  readonly data: string;
  /** The same directory as the server sees it. */
  readonly dataInRoot: string;
  readonly password: string;
};

/** Finds the cluster in its directory, or creates it from the root's template. */
export function openCluster(dir: EngineDir, root: EngineRoot): Cluster {
  const data = join(dir.path, 'data');
  mkdirSync(dir.path, { recursive: true });
  chownSync(dir.path, root.uid, root.gid);
  if (!existsSync(data)) copyTemplate(root, dir.path);
  adoptFiles(root, data);
  const password = readFileSync(join(dir.path, 'password'), 'utf8').trim();
  return { data, dataInRoot: `${dir.inRoot}/data`, password };
}

/** Copied aside and renamed, so that an interrupted copy is not taken for a cluster. */
function copyTemplate(root: EngineRoot, dir: string): void {
  const unfinished = join(dir, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  runTool(dir, ['cp', '-a', '--reflink=auto', root.templateCluster, unfinished]);
  // A root that is built later has another password, so the password of this cluster is kept beside its data.
  copyFileSync(root.passwordFile, join(dir, 'password'));
  renameSync(unfinished, join(dir, 'data'));
}

/** Changes the owner of the files: in a newer root the database's user may have another number. */
function adoptFiles(root: EngineRoot, data: string): void {
  if (statSync(data).uid === root.uid) return;
  runTool(data, ['chown', '-R', `${root.uid}:${root.gid}`, data]);
}

function runTool(where: string, [program = '', ...args]: readonly string[]): void {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  if (done.status === 0) return;
  throw new Error(`Could not prepare the database's data in ${where}: ${done.stderr || done.error?.message}`);
}
