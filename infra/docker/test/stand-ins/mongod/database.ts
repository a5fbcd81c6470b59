import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { postgresqlConf, setupSql } from '@sigcast/local';

const bin = '/usr/lib/postgresql/18/bin';
const postgresPort = 27_018;
const gatewayPort = 27_019;
const gateway = '/app/infra/local/src/documentdb/main.ts';
const user = 'postgres';

export type Database = {
  /** The wire gateway's port on loopback. */
  readonly port: number;
  /** Resolves with a sentence when a process ends by itself. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
};

/** Runs a program to its end. @throws when it fails. */
function runTool(command: string, args: readonly string[], input?: string): void {
  const done = spawnSync(command, args, { encoding: 'utf8', input });
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr || String(done.error)}`);
}

/** Waits until a port of loopback takes connections. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' });
    const answered = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (answered) return;
    await delay(50);
  }
}

/** Makes a PostgreSQL cluster with DocumentDB, unless there is one. */
function makeCluster(dir: string): void {
  if (existsSync(dir)) return;
  const unfinished = `${dir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  runTool(`${bin}/initdb`, ['-U', user, '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '-D', unfinished]);
  writeFileSync(
    join(unfinished, 'postgresql.conf'),
    postgresqlConf({ port: postgresPort, ephemeral: false }),
  );
  const options = `-c listen_addresses='' -c unix_socket_directories=/tmp`;
  runTool(`${bin}/pg_ctl`, ['-w', '-D', unfinished, '-l', '/dev/null', '-o', options, 'start']);
  try {
    const psql = ['-X', '-v', 'ON_ERROR_STOP=1', '-h', '/tmp', '-p', String(postgresPort), '-U', user];
    runTool(`${bin}/psql`, [...psql, '-q'], setupSql);
  } finally {
    runTool(`${bin}/pg_ctl`, ['-w', '-D', unfinished, 'stop']);
  }
  renameSync(unfinished, dir);
}

/** Starts DocumentDB and the wire gateway, both on loopback. */
export async function startDatabase(dbpath: string): Promise<Database> {
  const dir = join(dbpath, 'documentdb');
  makeCluster(dir);
  // A killed container leaves this file, with the number of a process that is another one now.
  rmSync(join(dir, 'postmaster.pid'), { force: true });
  let stopping = false;
  const { promise: ended, resolve: endedBy } = Promise.withResolvers<string>();
  const start = (name: string, command: string, args: readonly string[], env = {}): ChildProcess => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('exit', (code, signal) => {
      if (!stopping) endedBy(`${name} ended (${signal ?? code})`);
    });
    return child;
  };
  const postgres = start('PostgreSQL', `${bin}/postgres`, ['-D', dir]);
  await listening(postgresPort);
  const wire = start('the wire gateway', process.execPath, [gateway], {
    GATEWAY_PORT: String(gatewayPort),
    POSTGRES_PORT: String(postgresPort),
    POSTGRES_PASSWORD: '',
  });
  await listening(gatewayPort);
  const end = (child: ChildProcess, signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  return {
    port: gatewayPort,
    ended,
    stop: async () => {
      stopping = true;
      await end(wire, 'SIGTERM');
      await end(postgres, 'SIGINT');
    },
  };
}
