import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secondsSince } from '../elapsed.ts';
import { rememberedPorts } from '../ports.ts';
import { OperatorProcess } from './operator-process.ts';
import {
  entryOf,
  environmentOf,
  keyFilesIn,
  marketPorts,
  metricsNames,
  type OperatedService,
  type ProcessName,
  processNames,
  type SystemStores,
} from './process-spec.ts';
import { type WatchedProcess, watchedProcess } from './watched-process.ts';

export type SystemOptions = {
  readonly stores: SystemStores;
  /** For keys, logs and the ports that are kept over restarts. */
  readonly dataDir: string;
  /** The loopback address to listen at. Default: 127.0.0.1. */
  readonly host?: string;
  /** The gateway's port. Default: a free one. */
  readonly gatewayPort?: number;
  /** Further settings for all processes. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** The repository of a process, perhaps of another release. Called at each start. Default: this repository. */
  readonly sourcesOf?: (name: ProcessName) => string;
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal;
};

/** The running system. */
export type System = {
  readonly gatewayUrl: string;
  readonly signalsUrl: string;
  /** The address of a process's metrics. */
  metricsUrl(name: ProcessName): string;
  /** The address that answers 200 while a process is ready. */
  readyUrl(name: ProcessName): string;
  readonly processes: Readonly<Record<ProcessName, WatchedProcess>>;
  /** Runs an operator command against this system. */
  operator<T>(...args: string[]): Promise<T>;
  /** The settings that a service's operator commands need for this system. */
  settingsOf(service: OperatedService): Record<string, string>;
  /** Stops every process. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts the system's processes on stores that run, and resolves when each process serves.
 * @throws when a process does not serve in time, with the last lines of its log. All processes are stopped then.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { dataDir, stores, host = '127.0.0.1' } = options;
  mkdirSync(dataDir, { recursive: true });
  const keysDir = join(dataDir, 'keys');
  const keys = keyFilesIn(keysDir);
  using starting = new DisposableStack();
  const operator = starting.use(new OperatorProcess());
  if (!existsSync(keys.gatewaySeal) || !existsSync(keys.logPrivate))
    await operator.run(['keys', 'generate', '--out', keysDir, '--if-missing'], {});
  const names = [...processNames, ...metricsNames];
  const remembered = await rememberedPorts(join(dataDir, 'service-ports.json'), names, host);
  const ports = {
    ...remembered,
    ...(await marketPorts(dataDir, host)),
    ...(options.gatewayPort === undefined ? {} : { gateway: options.gatewayPort }),
  };
  // A list of targets for Prometheus (file_sd_config).
  const targets = processNames.map((name) => ({
    targets: [`${host}:${ports[`${name}-metrics`]}`],
    labels: { job: name },
  }));
  const targetsFile = join(dataDir, 'metrics-targets.json');
  writeFileSync(targetsFile, JSON.stringify(targets));
  const settings = {
    stores,
    keys,
    ports,
    host,
    ...(options.overrides ? { overrides: options.overrides } : {}),
  };

  // Clients reach the gateway's port, so its probes are at the port of its metrics.
  const readyUrl = (name: ProcessName) =>
    `http://${host}:${ports[name === 'gateway' ? 'gateway-metrics' : name]}/readyz`;
  /** The settings of a service's operator commands. Those of the gateway are another user of Redis than the gateway. */
  const settingsOf = (service: OperatedService): Record<string, string> => {
    if (service === 'scanner') {
      const { MONGODB_DATABASE = '' } = environmentOf('tracker', settings);
      return {
        MONGODB_URI: stores.mongodbUri,
        MONGODB_DATABASE: MONGODB_DATABASE.replace(/tracker$/, 'scanner'),
      };
    }
    return {
      ...environmentOf(service === 'webhooks' ? 'webhooks-worker' : service, settings),
      ...(service === 'gateway' && { LOG_DIR: join(dataDir, 'logs') }),
      ...(service === 'gateway' && stores.urlOf && { REDIS_URL: stores.urlOf.redis('operator') }),
    };
  };

  const make = (name: ProcessName) =>
    watchedProcess({
      name,
      entry: () => entryOf(name, options.sourcesOf?.(name)),
      env: environmentOf(name, settings),
      logFile: join(dataDir, 'logs', `${name}.log`),
      readyUrl: readyUrl(name),
      report: options.report,
    });
  const processes = Object.fromEntries(processNames.map((name) => [name, make(name)])) as Record<
    ProcessName,
    WatchedProcess
  >;
  const stop = async () => {
    rmSync(targetsFile, { force: true });
    operator[Symbol.dispose]();
    await Promise.all(processNames.map((name) => processes[name].stop()));
  };
  try {
    await Promise.all(
      processNames.map(async (name) => {
        const startedAt = performance.now();
        await processes[name].start(options.signal);
        options.report(`  ${name} ready after ${secondsSince(startedAt)} s`);
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  starting.move();
  return {
    gatewayUrl: `http://${host}:${ports.gateway}`,
    signalsUrl: `http://${host}:${ports.signals}`,
    readyUrl,
    metricsUrl: (name) => `http://${host}:${ports[`${name}-metrics`]}/metrics`,
    processes,
    operator: (...args) => operator.run(args, settingsOf('gateway')),
    settingsOf,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
