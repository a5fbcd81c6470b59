import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePackages, type Package, thisMachine } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { cached, composePlugin } from './debian.ts';

const run = promisify(execFile);

/** Images of docker-compose.yml and the Dockerfile that others make. */
export const publicImages = [
  'node:24-bookworm-slim',
  'mongo:8',
  'redis:8',
  'rabbitmq:4',
  'haproxy:3.2',
] as const;

/** A Docker engine with the compose plugin. */
export type Engine = {
  /** The environment in which clients find the engine. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it has, or can fetch, the public images; else stand-ins are needed. */
  readonly pulls: boolean;
  /** The address at which its containers reach this machine. */
  readonly hostAddress: string;
  /** Runs a client and returns its output. @throws with its error output. */
  docker(
    args: readonly string[],
    options?: { env?: Record<string, string>; input?: string },
  ): Promise<string>;
  /** If it was started here, stops it and removes its data. */
  stop(): Promise<void>;
};

const packages: readonly Package[] = [
  { name: 'docker.io', file: '/usr/sbin/dockerd' },
  { name: 'iptables', file: '/usr/sbin/iptables' },
];

/** The engine that answers, if it has every public image or can pull it; else one of its own, on a private socket. */
export async function openEngine(dir: string, report: (line: string) => void): Promise<Engine> {
  if (await thisMachine().dockerAnswers()) {
    const found = engine({}, '', true, async () => undefined);
    await found.docker(['compose', 'version']);
    if (await hasPublicImages(found)) return { ...found, hostAddress: await bridgeAddress(found) };
    report('the Docker engine that answers can pull no images: a private one is started, with stand-ins');
  }
  return startEngine(dir, report);
}

function engine(
  env: Record<string, string>,
  hostAddress: string,
  pulls: boolean,
  stop: () => Promise<void>,
): Engine {
  const docker: Engine['docker'] = async (args, options = {}) => {
    const started = run('docker', [...args], {
      env: { ...clean(process.env), ...env, ...options.env },
      maxBuffer: 64 << 20,
    });
    started.child.stdin?.end(options.input);
    try {
      return (await started).stdout;
    } catch (cause) {
      const { stdout, stderr } = cause as { stdout: string; stderr: string };
      throw new Error(`docker ${args.join(' ')}:\n${`${stdout}\n${stderr}`.trim().slice(-4_000)}`, { cause });
    }
  };
  return { env, pulls, hostAddress, docker, stop };
}

/** Settings of whoever runs the tests must not reach the containers through docker-compose.yml. */
function clean(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(PORT|INGEST_PORT|SIGCAST_|WEBHOOK_|CA_BUNDLE|COMPOSE_|npm_)/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

async function hasPublicImages({ docker }: Engine): Promise<boolean> {
  for (const image of publicImages) {
    const there = await docker(['image', 'inspect', image]).catch(() => undefined);
    if (there === undefined && (await docker(['pull', '-q', image]).catch(() => undefined)) === undefined) {
      return false;
    }
  }
  return true;
}

/** This machine's address on the default bridge. An engine that made the bridge itself does not tell it, but then it is here. */
async function bridgeAddress({ docker }: Engine): Promise<string> {
  const [gateway = ''] = (
    await docker(['network', 'inspect', 'bridge', '--format', '{{range .IPAM.Config}}{{.Gateway}}{{end}}'])
  ).split('\n');
  if (gateway !== '') return gateway;
  // Node does not list an interface that nothing is connected to yet.
  const { stdout } = await run('ip', ['-4', '-oneline', 'address', 'show', 'docker0']);
  const address = /\binet ([\d.]+)\//.exec(stdout)?.[1];
  if (address === undefined) throw new Error('This machine has no address on the default bridge of Docker');
  return address;
}

/** Debian's engine, with everything it keeps in `dir`, which is removed with it. */
async function startEngine(dir: string, report: (line: string) => void): Promise<Engine> {
  if (!thisMachine().isDebianRoot()) {
    throw new Error('A Docker engine that has or can pull the images is needed, or root on Debian');
  }
  mkdirSync(join(dir, 'config', 'cli-plugins'), { recursive: true });
  const logFile = join(dir, 'install.log');
  await ensurePackages({ packages, logFile, report });
  symlinkSync(
    await cached('docker-compose', composePlugin, report),
    join(dir, 'config/cli-plugins/docker-compose'),
  );
  const socket = `unix://${join(dir, 'docker.sock')}`;
  const rules = await run('iptables-save').then(({ stdout }) => stdout);
  const hadBridge = existsSync('/sys/class/net/docker0');
  const child = startDaemon(dir, socket);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    // What it changed of this machine's network, unless another engine's is there, too.
    if (!rules.includes('DOCKER') && existsSync('/sys/class/net/docker0') && !hadBridge) {
      await run('ip', ['link', 'delete', 'docker0']);
      const restore = run('iptables-restore');
      restore.child.stdin?.end(rules);
      await restore;
    }
    rmSync(dir, { recursive: true, force: true });
  };
  const started = engine(
    { DOCKER_HOST: socket, DOCKER_CONFIG: join(dir, 'config'), DOCKER_BUILDKIT: '1' },
    '',
    false,
    stop,
  );
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`dockerd ended; see ${dir}/dockerd.log`);
        await started.docker(['info']);
      },
      { timeoutMs: 60_000, everyMs: 200 },
    );
    return { ...started, hostAddress: await bridgeAddress(started) };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startDaemon(dir: string, socket: string): ChildProcess {
  const log = openSync(join(dir, 'dockerd.log'), 'a');
  const args = ['-H', socket, '--data-root', join(dir, 'data'), '--exec-root', join(dir, 'exec')];
  // Ended with the tests, however they end: an engine that nobody knows of would keep its containers running.
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'TERM', 'dockerd', ...args, '--pidfile', join(dir, 'dockerd.pid')],
    { stdio: ['ignore', log, log], detached: true },
  );
  closeSync(log);
  return child;
}
