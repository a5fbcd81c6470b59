import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { secondsSince } from '../elapsed.ts';
import { MachineLock } from '../machine-lock.ts';
import type { Report } from '../report.ts';
import { cacheDir } from './cache-dir.ts';
import { ensurePackages, mmdebstrapPackage } from './packages.ts';
import { extensionSettings } from './postgres-settings.ts';
import { run } from './run.ts';

/**
 * A file tree with PostgreSQL, DocumentDB, RabbitMQ and Redis of Debian's next release, shared by all checkouts of a
 * machine, never written to.
 */
export type EngineRoot = {
  readonly path: string;
  /** A stopped cluster that has the extension. A copy of it takes a tenth of the time of a new cluster. */
  readonly templateCluster: string;
  /** The superuser's password in the template and its copies. */
  readonly passwordFile: string;
  /** The ids of the user and group `postgres` in the root. */
  readonly uid: number;
  readonly gid: number;
};

/** Raise the number with every change of the build below: a root of an older number is not used. */
export const rootName = 'engines-2';
const unpackScript = join(import.meta.dirname, 'unpack-engines.sh');
const templateDirectory = '/var/lib/sigcast';
export const postgresBin = '/usr/lib/postgresql/18/bin';

/** Runs a command as the database's own user: the server refuses to run as root. */
export const asPostgres = ['/usr/bin/setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];

/**
 * Creates the extension, and removes its jobs that build indexes in the background: the wire gateway creates indexes at
 * once, and the jobs would only wake the machine every 2 s.
 */
export const setupSql = `CREATE EXTENSION documentdb CASCADE;
CREATE EXTENSION documentdb_extended_rum;
SELECT cron.unschedule(jobid) FROM cron.job WHERE command LIKE '%build_index_concurrently%';
`;

export function isRootBuilt(): boolean {
  return existsSync(join(cacheDir(), rootName));
}

/** Finds the root, or builds it once per machine, which takes half a minute and 340 MB. */
export async function ensureEngineRoot(options: {
  readonly mayMount: boolean;
  readonly logFile: string;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
}): Promise<EngineRoot> {
  const { report, logFile, signal } = options;
  const path = join(cacheDir(), rootName);
  if (!existsSync(path)) {
    await using _lock = await MachineLock.acquire(
      `root ${path}`,
      () => report('  waiting for another process of this machine that is building the engines'),
      signal,
    );
    if (!existsSync(path)) {
      try {
        await ensurePackages({ packages: [mmdebstrapPackage], logFile, report, signal });
        await build(path, options);
      } catch (error) {
        throw explainedDownload(error);
      }
    }
  }
  const user = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync(join(path, 'etc/passwd'), 'utf8'));
  if (!user) throw new Error(`${path} has no user postgres; remove it to have it built again`);
  return {
    path,
    templateCluster: join(path, templateDirectory, 'data'),
    passwordFile: join(path, templateDirectory, 'password'),
    uid: Number(user[1]),
    gid: Number(user[2]),
  };
}

/** Says what was to be downloaded where Debian's archive can't be reached. Other errors stay as they are. */
export function explainedDownload(error: unknown): unknown {
  const said = error instanceof Error ? error.message : '';
  if (!/failure resolving|could not (resolve|connect)|unable to connect|unreachable|timed out/i.test(said))
    return error;
  const message =
    "Debian's archive can't be reached. The first start downloads the stores and the broker from there (120 MB). " +
    `Connect this machine to the network, or give the addresses of stores that run (README).\n${said}`;
  return new Error(message, { cause: error });
}

async function build(path: string, options: Parameters<typeof ensureEngineRoot>[0]): Promise<void> {
  const { mayMount, logFile, report, signal } = options;
  const startedAt = performance.now();
  report(
    'building DocumentDB (speaks MongoDB), RabbitMQ and Redis from Debian (once on this machine: downloads 120 MB)',
  );
  // Built under another name and renamed when complete: an interrupted build is never used, and the next build starts anew.
  const unfinished = `${path}.unfinished`;
  removeTree(unfinished);
  mkdirSync(dirname(path), { recursive: true });
  // In namespaces of its own, all processes and mounts of the builder end with its first process, however that ends.
  // Otherwise a killed build would go on, with the machine's /proc and /sys mounted in the tree that the next build removes.
  const isolated = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
  const step = (what: string, command: readonly string[]) =>
    run({
      what,
      logFile,
      report,
      signal,
      endSignal: 'SIGKILL',
      command: mayMount ? [...isolated, ...command] : command,
    });
  await step('building the engines', [
    ...[mmdebstrapPackage.file, '--variant=custom'],
    ...['--aptopt=APT::Install-Recommends "false"', '--aptopt=Acquire::Check-Valid-Until "false"'],
    // Without a network, apt would try for ten seconds.
    '--aptopt=Acquire::Retries "1"',
    ...[`--customize-hook=bash '${unpackScript}' "$1"`, 'sid', unfinished],
  ]);
  const template = join(unfinished, templateDirectory);
  mkdirSync(template, { recursive: true });
  writeFileSync(join(template, 'password'), `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  const inside = (command: readonly string[]) => ['/usr/sbin/chroot', unfinished, ...command];
  await step(
    'giving the template to postgres',
    inside(['chown', '-R', 'postgres:postgres', templateDirectory]),
  );
  const data = `${templateDirectory}/data`;
  await step('creating a cluster', [
    ...inside([...asPostgres, `${postgresBin}/initdb`, '-U', 'postgres', '--auth=scram-sha-256']),
    ...[`--pwfile=${templateDirectory}/password`, '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync', '-D', data],
  ]);
  writeFileSync(join(unfinished, data, 'postgresql.conf'), `${extensionSettings.join('\n')}\n`);
  await setUpExtension({ unfinished, data, step, inside });
  await step('giving the password to root', inside(['chown', 'root:root', `${templateDirectory}/password`]));
  renameSync(unfinished, path);
  report(`  engines built in ${secondsSince(startedAt)} s`);
}

/** Removes a tree. @throws when something is mounted in it, because the mounted files would be removed as well. */
function removeTree(path: string): void {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const inside = mounts.map((line) => line.split(' ')[1] ?? '').filter((at) => at.startsWith(`${path}/`));
  if (inside.length > 0)
    throw new Error(`Unmount these first, an interrupted build left them: ${inside.join(' ')}`);
  rmSync(path, { recursive: true, force: true });
}

/**
 * Creates the extension in the template. `pg_ctl` waits until the server has started and stopped. The server listens on a
 * socket inside the root and nowhere else.
 */
async function setUpExtension(options: {
  readonly unfinished: string;
  readonly data: string;
  readonly step: (what: string, command: readonly string[]) => Promise<void>;
  readonly inside: (command: readonly string[]) => readonly string[];
}): Promise<void> {
  const { unfinished, data, step, inside } = options;
  writeFileSync(join(unfinished, templateDirectory, 'setup.sql'), setupSql);
  const settings = "-c listen_addresses='' -c unix_socket_directories=/tmp -c fsync=off";
  const script = [
    `export PATH=${postgresBin}:$PATH PGPASSWORD=$(cat ${templateDirectory}/password) PGHOST=/tmp`,
    `pg_ctl -w -D ${data} -o "${settings}" -l ${templateDirectory}/setup.log start`,
    `psql -X -v ON_ERROR_STOP=1 -f ${templateDirectory}/setup.sql; outcome=$?`,
    `pg_ctl -w -D ${data} stop && exit $outcome`,
  ].join('\n');
  await step('setting up the database', inside([...asPostgres, '/bin/sh', '-c', script]));
}
