import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { type BackingService, givenService, type Name } from './backing-service.ts';
import { openEngines } from './debian/engines.ts';
import { dockerServices, ensureImages } from './docker.ts';
import { keepRunning } from './keep-running.ts';
import { type Machine, thisMachine } from './machine.ts';
import { MachineLock } from './machine-lock.ts';

/** The stores and the broker, ready to use. */
export type BackingServices = AsyncDisposable & {
  /** Address of the server, without a database. */
  readonly mongodbUri: string;
  readonly redisUrl: string;
  readonly amqpUrl: string;
  /** How what was started here was started; `given` when nothing was. */
  readonly how: BackingService['how'];
  readonly mongo: BackingService;
  readonly redis: BackingService;
  readonly rabbitmq: BackingService;
  /** Stops the services that were started here, within 8 s. The data stays unless it was ephemeral. */
  stop(): Promise<void>;
};

export type BackingOptions = {
  /** Data, logs and remembered ports; one process at a time may use it. */
  readonly dataDir: string;
  /** Read for MONGODB_URI, REDIS_URL and AMQP_URL. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with a line for each service that is started or ready. */
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal;
  /** For tests: faster, does not survive a power cut, `dataDir` is removed at the end. */
  readonly ephemeral?: boolean;
  /** Deletes the data of earlier runs first, but never that of given addresses. */
  readonly fresh?: boolean;
  /** Restarts a service that ends by itself, and prints that. */
  readonly keepRunning?: boolean;
  /** The capabilities of this machine. Default: they are detected. */
  readonly machine?: Machine;
};

const serviceNames: readonly Name[] = ['mongo', 'redis', 'rabbitmq'];
const urlVariables: Readonly<Record<Name, string>> = {
  mongo: 'MONGODB_URI',
  redis: 'REDIS_URL',
  rabbitmq: 'AMQP_URL',
};

/**
 * Provides MongoDB, Redis and RabbitMQ: each from its address in `env` when given; the others from a Docker
 * engine when one answers, else as private instances of Debian's packages.
 * @throws Error that says what to do when none of these ways is open, or why a start failed. Nothing that was
 * started is left running then.
 */
export async function startBackingServices(options: BackingOptions): Promise<BackingServices> {
  const { env } = options;
  const given = new Map(
    serviceNames.flatMap((name) => {
      const url = env[urlVariables[name]];
      return url ? [[name, givenService(name, url)] as const] : [];
    }),
  );
  const missing = serviceNames.filter((name) => !given.has(name));
  const started = missing.length > 0 ? await startMissing(missing, options) : undefined;
  const service = (name: Name): BackingService => {
    const found = given.get(name) ?? started?.services.get(name);
    if (!found) throw new Error(`${name} was not started`);
    return found;
  };
  const stop = async () => started?.stop();
  return {
    mongodbUri: service('mongo').url,
    redisUrl: service('redis').url,
    amqpUrl: service('rabbitmq').url,
    how: started?.how ?? 'given',
    mongo: service('mongo'),
    redis: service('redis'),
    rabbitmq: service('rabbitmq'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Services, not started yet. */
type Provided = ReadonlyMap<Name, BackingService>;

type Started = {
  readonly how: 'docker' | 'debian';
  readonly services: ReadonlyMap<Name, BackingService>;
  stop(): Promise<void>;
};

async function startMissing(names: readonly Name[], options: BackingOptions): Promise<Started> {
  const { dataDir, ephemeral = false, machine = thisMachine() } = options;
  const docker = await dockerServes(names, { ...options, machine });
  mkdirSync(dataDir, { recursive: true });
  const lock = await MachineLock.tryAcquire(`data ${realpathSync(dataDir)}`);
  if (!lock) throw new Error(`Another process is using ${dataDir}. Stop it first, or use another directory.`);
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  let provided: Provided = new Map();
  const stopping = new AbortController();
  const end = async () => {
    stopping.abort();
    const all = [...provided.values()];
    await Promise.allSettled(all.map((service) => (ephemeral ? service.kill() : service.stop())));
    try {
      if (ephemeral) await removeData(provided);
    } finally {
      if (ephemeral) rmSync(dataDir, { recursive: true, force: true });
      await lock[Symbol.asyncDispose]();
    }
  };
  try {
    provided = await (docker
      ? dockerServices(names, { ...options, signal })
      : debianServices(names, { ...options, machine, signal }));
    if (options.fresh) await removeData(provided);
    await startAll([...provided.values()], options.report, failed);
    if (options.keepRunning) {
      keepRunning(provided.values(), { report: options.report, stopping: stopping.signal });
    }
  } catch (error) {
    // The error of the start is reported, not that of the clean-up.
    await end().catch(() => undefined);
    throw error;
  }
  let ending: Promise<void> | undefined;
  const stop = () => {
    ending ??= end();
    return ending;
  };
  return { how: docker ? 'docker' : 'debian', services: provided, stop };
}

/**
 * Whether a Docker engine provides them, else Debian's packages do.
 * @throws when neither can.
 */
async function dockerServes(
  names: readonly Name[],
  options: BackingOptions & { readonly machine: Machine },
): Promise<boolean> {
  const { machine, report, signal } = options;
  if (!(await machine.dockerAnswers())) {
    if (machine.isDebianRoot()) return false;
    throw new Error(noWay(names));
  }
  try {
    await ensureImages(names, { report, signal });
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    const why = `A Docker engine answers but ${(error as Error).message}`;
    if (!machine.isDebianRoot()) throw new Error(`${why}.\n${noWay(names)}`, { cause: error });
    report(`${why}: using Debian's packages instead`);
    return false;
  }
}

/** Deletes the data of all services, in a container's volume or beside the engine. */
async function removeData(services: Provided): Promise<void> {
  for (const service of services.values()) await service.removeData();
}

async function startAll(
  services: readonly BackingService[],
  report: BackingOptions['report'],
  failed: AbortController,
): Promise<void> {
  // All are waited for when one fails: none may still be starting while the others are being stopped.
  const outcomes = await Promise.allSettled(
    services.map(async (service) => {
      const startedAt = Date.now();
      report(`starting ${service.name}`);
      try {
        await service.start();
      } catch (error) {
        failed.abort(error);
        throw error;
      }
      report(`  ${service.name} ready in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    }),
  );
  if (outcomes.some(({ status }) => status === 'rejected')) throw failed.signal.reason;
}

async function debianServices(
  names: readonly Name[],
  options: BackingOptions & { readonly machine: Machine },
): Promise<Provided> {
  const engines = await openEngines(options);
  const ports = await engines.ports(['mongodb', 'postgres', 'redis', 'amqp', 'distribution', 'epmd']);
  const make: Readonly<Record<Name, () => BackingService>> = {
    mongo: () => engines.documentdb(ports),
    redis: () => engines.redisNode({ name: 'redis', port: ports.redis }),
    rabbitmq: () => engines.rabbitmqNode({ name: 'rabbitmq', ports }),
  };
  return new Map(names.map((name) => [name, make[name]()]));
}

function noWay(names: readonly Name[]): string {
  const variables = names.map((name) => urlVariables[name]).join(', ');
  return [
    `Cannot provide ${names.join(', ')}. There are three ways:`,
    `  1. Give their addresses: set ${variables}.`,
    '  2. Start a Docker engine that this user may use (docker info has to work).',
    '  3. Run as root on Debian or Ubuntu: private instances are then installed and started.',
  ].join('\n');
}
