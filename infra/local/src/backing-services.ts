import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { type BackingService, givenService, type Name } from './backing-service.ts';
import { openEngines } from './debian/engines.ts';
import { dockerServices, ensureImages } from './docker.ts';
import { secondsSince } from './elapsed.ts';
import { keepRunning } from './keep-running.ts';
import { type Machine, thisMachine } from './machine.ts';
import { MachineLock } from './machine-lock.ts';
import type { Report } from './report.ts';
import { localStoreUsers } from './store-users/local.ts';
import type { Measure } from './system/phases.ts';

/** The stores and the broker, ready to use. */
export type BackingServices = AsyncDisposable & {
  /** Address of the server, without a database. */
  readonly mongodbUri: string;
  readonly redisUrl: string;
  readonly amqpUrl: string;
  /** Where the started services come from; `given` when all addresses were given. */
  readonly how: BackingService['how'];
  readonly mongo: BackingService;
  readonly redis: BackingService;
  readonly rabbitmq: BackingService;
  /** Resolves when all answer. Rejects with the reason when one fails to start. */
  readonly ready: Promise<void>;
  /** Stops the services that were started here, within 8 s. The data stays unless it was ephemeral. */
  stop(): Promise<void>;
};

export type BackingOptions = {
  /** For data, logs and the ports that are kept over restarts. One process at a time may use the directory. */
  readonly dataDir: string;
  /** Read for MONGODB_URI, REDIS_URL and AMQP_URL. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with a line for each service that is started or ready. */
  readonly report: Report;
  /** Measures the phases: the engines' installation, and the start of each service. */
  readonly measure?: Measure;
  readonly signal?: AbortSignal;
  /** For tests: faster, does not survive a power cut, `dataDir` is removed at the end. */
  readonly ephemeral?: boolean;
  /** Deletes the data of earlier runs first, but never that of given addresses. */
  readonly fresh?: boolean;
  /** Returns when the stores answer; the broker, which takes longest, may still be starting. */
  readonly brokerLater?: boolean;
  /** Restarts a service that ends by itself, and prints that. */
  readonly keepRunning?: boolean;
  /** The capabilities of this machine. Default: they are detected. */
  readonly machine?: Machine;
};

const unmeasured: Measure = (_phase, work) => work();
const serviceNames: readonly Name[] = ['mongo', 'redis', 'rabbitmq'];
const urlVariables: Readonly<Record<Name, string>> = {
  mongo: 'MONGODB_URI',
  redis: 'REDIS_URL',
  rabbitmq: 'AMQP_URL',
};

/**
 * Provides MongoDB, Redis and RabbitMQ. Each whose address is in `env` is used there. The others run in containers of a
 * Docker engine that answers, or as private instances of Debian's packages.
 * @throws when none of these ways is open, with what to do; or when a start fails, with the reason. Everything that was
 * started is stopped then.
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
    ready: started?.ready ?? Promise.resolve(),
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
  readonly ready: Promise<void>;
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
  let ready: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const end = async () => {
    stopping.abort();
    // Ends the wait for a service that is still starting.
    failed.abort(new Error('stopped'));
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
    const starts = startAll(provided, options, failed);
    ready = allOf(starts.values(), failed);
    const stores = [...starts].filter(([name]) => name !== 'rabbitmq').map(([, start]) => start);
    await (options.brokerLater ? Promise.race([ready, Promise.all(stores)]) : ready);
    const watch = () => keepRunning(provided.values(), { report: options.report, stopping: stopping.signal });
    if (options.keepRunning) void ready.then(watch, () => undefined);
  } catch (error) {
    // The caller gets the error of the start, not that of the clean-up.
    await end().catch(() => undefined);
    throw error;
  }
  let ending: Promise<void> | undefined;
  const stop = () => {
    ending ??= end();
    return ending;
  };
  return { how: docker ? 'docker' : 'debian', services: provided, ready, stop };
}

/**
 * Whether a Docker engine provides the services. Otherwise Debian's packages do.
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

async function removeData(services: Provided): Promise<void> {
  for (const service of services.values()) await service.removeData();
}

/** Starts the services at the same time. When one fails, the others' starts are ended. */
function startAll(
  services: Provided,
  { report, measure = unmeasured }: BackingOptions,
  failed: AbortController,
): ReadonlyMap<Name, Promise<void>> {
  const start = async (service: BackingService) => {
    const startedAt = performance.now();
    report(`starting ${service.name}`);
    try {
      await measure(service.name, () => service.start());
    } catch (error) {
      failed.abort(error);
      throw error;
    }
    report(`  ${service.name} ready in ${secondsSince(startedAt)} s`);
  };
  return new Map([...services].map(([name, service]) => [name, start(service)]));
}

/** Waits for all starts, also when one fails: no service may still be starting while services are being stopped. */
async function allOf(starts: Iterable<Promise<void>>, failed: AbortController): Promise<void> {
  const outcomes = await Promise.allSettled(starts);
  if (outcomes.some(({ status }) => status === 'rejected')) throw failed.signal.reason;
}

async function debianServices(
  names: readonly Name[],
  options: BackingOptions & { readonly machine: Machine },
): Promise<Provided> {
  const { measure = unmeasured } = options;
  const engines = await measure('engines', () => openEngines(options));
  const ports = await engines.ports(['mongodb', 'postgres', 'redis', 'amqp', 'distribution', 'epmd']);
  const redis = { name: 'redis', port: ports.redis };
  const rabbitmq = { name: 'rabbitmq', ports };
  // Tests have namespaces of their own, which no user may enter.
  const users = options.ephemeral ? undefined : localStoreUsers(options.dataDir);
  const make: Readonly<Record<Name, () => BackingService>> = {
    mongo: () => engines.documentdb(ports),
    redis: () => users?.redis(engines, redis) ?? engines.redisNode(redis),
    rabbitmq: () => users?.rabbitmq(engines, rabbitmq) ?? engines.rabbitmqNode(rabbitmq),
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
