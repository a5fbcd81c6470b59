import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BackingService, type Name, oneAtATime } from './backing-service.ts';
import { Child, type ChildSpec } from './child-process.ts';
import { rememberedPorts } from './ports.ts';
import { amqpAnswers, mongodbAnswers, redisAnswers } from './probe.ts';

type Recipe = {
  readonly image: string;
  /** The port inside the container. */
  readonly port: number;
  /** The directory of the data inside the container. */
  readonly data: string;
  /** Options of `docker run`. */
  readonly options?: readonly string[];
  /** The command behind the image's name. Default: that of the image. */
  readonly command?: readonly string[];
  readonly url: (port: number) => string;
  readonly answers: (port: number) => Promise<boolean>;
};

// Unlike docker-compose.yml, which is for deployments, these have no passwords: they are published on loopback alone.
const recipes: Readonly<Record<Name, Recipe>> = {
  mongo: {
    image: 'mongo:8',
    port: 27017,
    data: '/data/db',
    url: (port) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
    answers: mongodbAnswers,
  },
  redis: {
    image: 'redis:8',
    port: 6379,
    data: '/data',
    command: [
      ...['redis-server', '--bind', '0.0.0.0', '--protected-mode', 'no'],
      ...['--appendonly', 'yes', '--save', ''],
    ],
    url: (port) => `redis://127.0.0.1:${port}`,
    answers: redisAnswers,
  },
  rabbitmq: {
    image: 'rabbitmq:4',
    port: 5672,
    data: '/var/lib/rabbitmq',
    // The node and its data are named for the host. The user `guest` may connect from inside the container only.
    options: [
      '--hostname=rabbitmq',
      '--env=RABBITMQ_DEFAULT_USER=sigcast',
      '--env=RABBITMQ_DEFAULT_PASS=sigcast',
    ],
    url: (port) => `amqp://sigcast:sigcast@127.0.0.1:${port}`,
    answers: amqpAnswers,
  },
};

/** Longer than any of the images takes to start on a busy machine. */
const readyTimeoutMs = 90_000;

/**
 * Pulls the images that the engine does not have.
 * @throws with the engine's reason when it can't pull one: no network, a proxy, a registry that refuses.
 */
export async function ensureImages(
  names: readonly Name[],
  options: { readonly report: (line: string) => void; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  for (const { image } of names.map((name) => recipes[name])) {
    const isPresent = await docker(['image', 'inspect', image]).then(
      () => true,
      () => false,
    );
    if (isPresent) continue;
    options.report(`pulling ${image} (once on this machine)`);
    await docker(['pull', '--quiet', image], options.signal).catch((error: Error) => {
      const [said] = error.message
        .replace(/^docker pull .*? failed: /, '')
        .split('\n')
        .slice(-1);
      throw new Error(`has no image ${image} and could not pull it (${said})`, { cause: error });
    });
  }
}

/**
 * Containers of this data directory, published on the loopback address. Each start replaces the container; the data is
 * in a volume with the container's name.
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
    const url = recipe.url(ports[name]);
    const exclusive = oneAtATime();
    const listeners: ((outcome: string) => void)[] = [];
    let running: Child | undefined;
    // Older engines fail when there is no such container.
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
      url,
      urlOf: () => url,
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
        const started = Child.start(dockerWait(container, dataDir));
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

/** `docker wait`, which ends when the container ends. */
function dockerWait(container: string, dataDir: string): ChildSpec {
  return {
    name: `Container ${container} (see docker logs)`,
    command: ['docker', 'wait', container],
    logFile: join(dataDir, 'logs', 'docker.log'),
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    parentDeathSignal: 'SIGTERM',
  };
}

/** @throws with what docker printed. */
async function docker(args: readonly string[], signal?: AbortSignal): Promise<void> {
  try {
    await promisify(execFile)('docker', args, { signal });
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    throw new Error(`docker ${args.join(' ')} failed: ${stderr.trim() || message}`, { cause: error });
  }
}
