import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type BackingService, type Name, oneAtATime } from './backing-service.ts';
import { Child, type ChildSpec } from './child-process.ts';
import { rememberedPorts } from './ports.ts';
import { amqpAnswers, mongodbAnswers, redisAnswers } from './probe.ts';

type Recipe = {
  readonly image: string;
  /** Where it listens, and where it keeps its data, inside the container. */
  readonly port: number;
  readonly data: string;
  /** Options of `docker run`, and what follows the image's name. */
  readonly options?: readonly string[];
  readonly command?: readonly string[];
  readonly url: (port: number) => string;
  readonly answers: (port: number) => Promise<boolean>;
};

// docker-compose.yml has passwords and networks, as deployments do; here everything listens on loopback for one developer.
const recipes: Readonly<Record<Name, Recipe>> = {
  mongo: {
    ...{ image: 'mongo:8', port: 27017, data: '/data/db' },
    url: (port) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
    answers: mongodbAnswers,
  },
  redis: {
    ...{ image: 'redis:8', port: 6379, data: '/data' },
    command: [
      'redis-server',
      '--bind',
      '0.0.0.0',
      '--protected-mode',
      'no',
      '--appendonly',
      'yes',
      '--save',
      '',
    ],
    url: (port) => `redis://127.0.0.1:${port}`,
    answers: redisAnswers,
  },
  rabbitmq: {
    ...{ image: 'rabbitmq:4', port: 5672, data: '/var/lib/rabbitmq' },
    // The host's name is part of the name of the node, and that of its data. The user guest is refused from outside of it.
    options: [
      '--hostname=rabbitmq',
      '--env=RABBITMQ_DEFAULT_USER=sigcast',
      '--env=RABBITMQ_DEFAULT_PASS=sigcast',
    ],
    url: (port) => `amqp://sigcast:sigcast@127.0.0.1:${port}`,
    answers: amqpAnswers,
  },
};

/** Longer than an image takes to start on a busy machine: what is not ready then does not come. */
const readyTimeoutMs = 90_000;

/**
 * Makes sure that the engine has the images, which it pulls once.
 * @throws with the engine's reason when it can't pull one: no network, a proxy, a registry that refuses.
 */
export async function ensureImages(
  names: readonly Name[],
  options: { readonly report: (line: string) => void; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  for (const { image } of names.map((name) => recipes[name])) {
    const there = await docker(['image', 'inspect', image]).then(
      () => true,
      () => false,
    );
    if (there) continue;
    options.report(`pulling ${image} (once on this machine)`);
    await docker(['pull', '--quiet', image], options.signal).catch((error: DockerError) => {
      throw new Error(`has no image ${image} and could not pull it (${error.said})`, { cause: error });
    });
  }
}

/**
 * Containers of this data directory's own, published on the loopback address. A container lives from a start to
 * the next; its data is in a volume that has its name.
 */
export async function dockerServices(
  names: readonly Name[],
  options: { readonly dataDir: string; readonly signal?: AbortSignal | undefined },
): Promise<ReadonlyMap<Name, BackingService>> {
  const { dataDir } = options;
  const ports = await rememberedPorts(join(dataDir, 'docker-ports.json'), names);
  const project = `sigcast-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`;
  const service = (name: Name): BackingService => {
    const recipe = recipes[name];
    const container = `${project}-${name}`;
    const exclusive = oneAtATime();
    const listeners: ((outcome: string) => void)[] = [];
    let running: Child | undefined;
    // Also when there is none: older engines call that a failure.
    const removeContainer = () =>
      docker(['rm', '--force', '--volumes', container]).catch((error: Error) => {
        if (!error.message.includes('No such container')) throw error;
      });
    const end = async (...how: readonly string[]) => {
      running = undefined;
      await docker([...how, container]);
    };
    return {
      name,
      url: recipe.url(ports[name]),
      how: 'docker',
      owned: true,
      start: exclusive(async () => {
        if (running?.running) return;
        await removeContainer();
        await docker([
          ...['run', '--detach', `--name=${container}`, `--label=sigcast.project=${project}`],
          `--publish=127.0.0.1:${ports[name]}:${recipe.port}`,
          `--volume=${container}:${recipe.data}`,
          ...[...(recipe.options ?? []), recipe.image, ...(recipe.command ?? [])],
        ]);
        const started = Child.start(waitingFor(container, dataDir));
        try {
          await started.ready(() => recipe.answers(ports[name]), readyTimeoutMs, options.signal);
        } catch (error) {
          await started.kill();
          await removeContainer();
          throw error;
        }
        running = started;
        void started.exited.then(() => {
          if (running === started) for (const listener of listeners) listener(`container ${container}`);
        });
      }),
      stop: exclusive(() => end('stop', '--time=6')),
      kill: exclusive(() => end('kill')),
      onDeath: (listener) => void listeners.push(listener),
      removeData: exclusive(async () => {
        await removeContainer();
        await docker(['volume', 'rm', '--force', container]);
      }),
    };
  };
  return new Map(names.map((name) => [name, service(name)]));
}

/** A process that lives as long as the container. */
function waitingFor(container: string, dataDir: string): ChildSpec {
  return {
    name: `Container ${container} (see docker logs)`,
    command: ['docker', 'wait', container],
    logFile: join(dataDir, 'logs', 'docker.log'),
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    parentDeathSignal: 'SIGTERM',
  };
}

class DockerError extends Error {
  override readonly name = 'DockerError';
  /** The last line that docker printed. */
  readonly said: string;

  constructor(args: readonly string[], errors: string) {
    super(`docker ${args.join(' ')} failed: ${errors}`);
    this.said = errors.split('\n').at(-1) ?? '';
  }
}

/** @throws DockerError */
function docker(args: readonly string[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // Named, so that it is the environment of a test and not that of its runner.
    const child = spawn('docker', args, { stdio: ['ignore', 'ignore', 'pipe'], env: process.env, signal });
    let errors = '';
    child.stderr.on('data', (data: Buffer) => {
      errors = (errors + data.toString()).slice(-2_000);
    });
    child.once('error', (error) => reject(new DockerError(args, error.message)));
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new DockerError(args, errors.trim()));
    });
  });
}
