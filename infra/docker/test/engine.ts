import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePackages, type Package, thisMachine } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { cached, composePlugin } from './debian.ts';

const run = promisify(execFile);

/** The public images that docker-compose.yml and the Dockerfile use. */
const publicImages = ['node:24-bookworm-slim', 'mongo:8', 'redis:8', 'rabbitmq:4', 'haproxy:3.2'] as const;

/** A Docker engine with the compose plugin. */
export type Engine = {
  /** The environment variables with which clients find the engine. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it has or can pull the public images. Otherwise stand-ins are needed. */
  readonly pulls: boolean;
  /** The address at which its containers reach this machine. */
  readonly hostAddress: string;
  /** Runs a client and returns its output. @throws with its error output. */
  docker(
    args: readonly string[],
    options?: { env?: Record<string, string>; input?: string },
  ): Promise<string>;
  /** Stops the engine and removes its data, if it was started here. */
  stop(): Promise<void>;
};

const packages: readonly Package[] = [
  { name: 'docker.io', file: '/usr/sbin/dockerd' },
  { name: 'iptables', file: '/usr/sbin/iptables' },
];

/** The running engine if it has or can pull every public image; otherwise a new one, on a private socket. */
export async function openEngine(dir: string, report: (line: string) => void): Promise<Engine> {
  if (await thisMachine().dockerAnswers()) {
    const found = engine({ env: {}, pulls: true, stop: async () => undefined });
    await found.docker(['compose', 'version']);
    if (await hasPublicImages(found)) return { ...found, hostAddress: await bridgeAddress(found) };
    report('the Docker engine that answers can pull no images: a private one is started, with stand-ins');
  }
  return startEngine(dir, report);
}

function engine({ env, pulls, stop }: Pick<Engine, 'env' | 'pulls' | 'stop'>): Omit<Engine, 'hostAddress'> {
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
  return { env, pulls, docker, stop };
}

/** The environment without settings that would reach the containers through docker-compose.yml. */
function clean(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(PORT|INGEST_PORT|SIGCAST_|WEBHOOK_|CA_BUNDLE|COMPOSE_|npm_)/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

async function hasPublicImages({ docker }: Pick<Engine, 'docker'>): Promise<boolean> {
  for (const image of publicImages) {
    const there = await docker(['image', 'inspect', image]).catch(() => undefined);
    if (there === undefined && (await docker(['pull', '-q', image]).catch(() => undefined)) === undefined) {
      return false;
    }
  }
  return true;
}

/**
 * The address of this machine on the default bridge. An engine that made the bridge itself does not tell the address, but
 * then the bridge is an interface of this machine.
 */
async function bridgeAddress({ docker }: Pick<Engine, 'docker'>): Promise<string> {
  const [gateway = ''] = (
    await docker(['network', 'inspect', 'bridge', '--format', '{{range .IPAM.Config}}{{.Gateway}}{{end}}'])
  ).split('\n');
  if (gateway !== '') return gateway;
  // `os.networkInterfaces()` does not list an interface that nothing is connected to yet.
  const { stdout } = await run('ip', ['-4', '-oneline', 'address', 'show', 'docker0']);
  const address = /\binet ([\d.]+)\//.exec(stdout)?.[1];
  if (address === undefined) throw new Error('This machine has no address on the default bridge of Docker');
  return address;
}

/** Starts Debian's engine. All its data is in `dir`, which `stop` removes. */
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
    // Undoes the engine's changes of this machine's network, unless another engine uses the network, too.
    if (!rules.includes('DOCKER') && existsSync('/sys/class/net/docker0') && !hadBridge) {
      await run('ip', ['link', 'delete', 'docker0']);
      const restore = run('iptables-restore');
      restore.child.stdin?.end(rules);
      await restore;
    }
    rmSync(dir, { recursive: true, force: true });
  };
  const env = { DOCKER_HOST: socket, DOCKER_CONFIG: join(dir, 'config'), DOCKER_BUILDKIT: '1' };
  const started = engine({ env, pulls: false, stop });
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
  // The engine ends with the tests, however they end. Otherwise it would keep its containers running.
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'TERM', 'dockerd', ...args, '--pidfile', join(dir, 'dockerd.pid')],
    { stdio: ['ignore', log, log], detached: true },
  );
  closeSync(log);
  return child;
}
