import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBackingServices } from '../backing-services.ts';
import { secondsSince } from '../elapsed.ts';
import { nextSeed, pastText } from '../market/past.ts';
import { isPortFree } from '../ports.ts';
import type { Report } from '../report.ts';
import { credentials } from './credentials.ts';
import { buildDashboard } from './dashboard.ts';
import { banner, removeDemoFile, writeDemoFile } from './demo-file.ts';
import { liveSources, unreachable } from './live-sources.ts';
import { type Lock, takeLock } from './lock.ts';
import { startMarket } from './market-process.ts';
import { removeOperatorSettings, writeOperatorSettings } from './operator-settings.ts';
import { Phases } from './phases.ts';
import { marketPorts } from './process-spec.ts';
import { stopRequested } from './stop-signal.ts';
import { startSystem } from './system.ts';

type LocalSystemOptions = {
  /** The folder of the local system: data, logs, addresses, lock. */
  readonly dir: string;
  readonly port: number;
  readonly demo: boolean;
  /** The real market instead of the simulated one. */
  readonly live: boolean;
  readonly fresh: boolean;
  /** Prints how long each phase took. */
  readonly verbose: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: Report;
  readonly complain: (line: string) => void;
};

/**
 * Starts everything, waits for Ctrl-C, SIGTERM or the end of the parent process, and stops everything.
 * @returns the exit code: 0, or 1 after one message that says what went wrong.
 */
export async function runLocalSystem(options: LocalSystemOptions): Promise<number> {
  const { dir, print, complain } = options;
  let lock: Lock;
  try {
    lock = takeLock(join(dir, 'system.lock'));
  } catch (error) {
    complain(`Sigcast can't start: ${explain(error)}`);
    return 1;
  }
  if ('heldBy' in lock) {
    print(`Sigcast is already running (process ${lock.heldBy}); nothing was changed.${runningAt(dir)}`);
    return 0;
  }
  const stop = stopRequested();
  const resources = new AsyncDisposableStack();
  resources.defer(lock.release);
  let code = 0;
  try {
    await startEverything(options, resources, stop.signal);
    await stop.requested;
  } catch (error) {
    if (!stop.signal.aborted) {
      complain(`\nSigcast can't start: ${explain(error)}`);
      code = 1;
    }
  }
  const startedAt = performance.now();
  if (stop.signal.aborted) print(`\nStopping (${stop.reason()}) …`);
  await resources.disposeAsync().catch((error: unknown) => {
    complain(`Stopping went wrong: ${explain(error)}`);
    code = 1;
  });
  if (stop.signal.aborted) print(`Stopped after ${secondsSince(startedAt)} s. The data is kept in ${dir}.`);
  return code;
}

const host = '127.0.0.1';

/** With Node's 16 MB, which serve much load, each process keeps some 15 MB more when it has started. */
const smallYoungGeneration = '--max-semi-space-size=4';

async function startEverything(
  options: LocalSystemOptions,
  resources: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<void> {
  const { dir, port, print, env } = options;
  const startedAt = performance.now();
  const phases = new Phases();
  const { measure } = phases;
  const sources = options.live ? liveSources(env) : undefined;
  // The real market knows no simulated tokens, so there is no demo data.
  const demo = options.demo && sources === undefined;
  const hasMarket = demo || sources !== undefined;
  // Signals of the real market are never among simulated ones.
  const dataDir = join(dir, options.live ? 'live' : 'data');
  const mailDir = join(dataDir, 'mail');
  const demoFile = join(dir, 'demo.json');
  // A killed run may have left these files, whose presence means that everything is ready.
  removeDemoFile(demoFile);
  removeOperatorSettings(dir);
  if (!(await isPortFree(port))) {
    throw new Error(
      `port ${port} is in use by another program. Choose another one: PORT=8090 npx pnpm@12 start`,
    );
  }
  if (options.fresh) deleteData(dataDir, env);
  // The dashboard is built while the stores and the broker are installed and start.
  const abandoned = new AbortController();
  const during = AbortSignal.any([signal, abandoned.signal]);
  const building = measure('dashboard', () =>
    buildDashboard({
      logFile: join(dataDir, 'logs', 'dashboard-build.log'),
      report: print,
      signal: during,
    }),
  );
  const built = building.catch(() => undefined);
  resources.defer(async () => {
    abandoned.abort();
    await built;
  });
  print('Starting the stores and the broker');
  const backing = await startBackingServices({
    dataDir,
    env,
    report: print,
    measure,
    signal,
    fresh: options.fresh,
    keepRunning: true,
    brokerLater: true,
  });
  resources.defer(() => backing.stop());
  const { mongodbUri, redisUrl, amqpUrl } = backing;
  const dashboard = await building;
  print('Starting the services');
  const { scanner } = await marketPorts(dataDir, host);
  const overrides = {
    ...tracingSettings(env),
    ...(hasMarket && { SCANNER_URL: `http://${host}:${scanner}` }),
    DASHBOARD_DIR: dashboard,
    PUBLIC_URL: `http://${host}:${port}`,
    MAIL_DIR: mailDir,
    NODE_OPTIONS: smallYoungGeneration,
  };
  const urlOf = { redis: backing.redis.urlOf, amqp: backing.rabbitmq.urlOf };
  const stores = { mongodbUri, redisUrl, amqpUrl, urlOf, furtherPorts: enginePorts(dataDir), namespace: '' };
  // The services are loaded while the broker starts, and then wait for it.
  const starting = measure('services', () =>
    startSystem({ stores, dataDir, overrides, gatewayPort: port, report: print, signal: during }),
  );
  resources.defer(async () => {
    abandoned.abort();
    await starting.then(
      (system) => system.stop(),
      () => undefined,
    );
  });
  const [system] = await Promise.all([starting, backing.ready]);
  // While the system runs, tests use its stores, in namespaces of their own.
  const backingFile = join(dir, 'backing.json');
  const addresses = { MONGODB_URI: mongodbUri, REDIS_URL: redisUrl, AMQP_URL: amqpUrl };
  writeFileSync(backingFile, JSON.stringify({ pid: process.pid, ...addresses }), { mode: 0o600 });
  resources.defer(() => rmSync(backingFile, { force: true }));
  resources.defer(() => removeOperatorSettings(dir));
  writeOperatorSettings(dir, system);
  const known = await measure('account and keys', () =>
    credentials(join(dataDir, 'credentials.json'), system),
  );
  const stateFile = demo ? join(dataDir, 'market.json') : undefined;
  const isFirstRun = stateFile !== undefined && nextSeed(stateFile) === 1;
  if (hasMarket) {
    const given = { dataDir, system, ...known, stateFile, sources };
    const processes = await measure('market, poller and scanner', () =>
      startMarket({ ...given, redisUrlOf: urlOf.redis, report: print, signal }),
    );
    resources.defer(() => processes.stop());
    writeOperatorSettings(dir, system, processes.scannerSettings);
  }
  signal.throwIfAborted();
  resources.defer(() => removeDemoFile(demoFile));
  writeDemoFile(demoFile, system, known);
  print(banner(system, known, { demoFile, mailDir }));
  if (isFirstRun) print(`The demo data comes in now: ${pastText}, then some each minute.`);
  if (options.verbose) print(`\n${phases.table()}`);
  print(`(${secondsSince(startedAt)} s)`);
  if (sources !== undefined) print(liveText(await unreachable(sources, connectionMs)));
}

/** How long a connection to a source may take before the start says that it can't be reached, in milliseconds. */
const connectionMs = 3_000;

function liveText(missing: readonly string[]): string {
  if (missing.length === 0)
    return 'The scanner looks at the real market; the first signals come within two minutes.';
  return `Can't be reached now: ${missing.join(', ')}. Everything else works; the scanner asks again until signals come.`;
}

/** The ports of the private stores and broker; none where others are used. */
function enginePorts(dataDir: string): number[] {
  const file = join(dataDir, 'ports.json');
  if (!existsSync(file)) return [];
  return Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>);
}

/** The settings of OpenTelemetry in the environment, which all processes get. */
function tracingSettings(env: LocalSystemOptions['env']): Record<string, string> {
  const given = Object.entries(env).filter(([name, value]) => name.startsWith('OTEL_') && value);
  return Object.fromEntries(given) as Record<string, string>;
}

/** Deletes the data of earlier runs. @throws when addresses were given: such stores are the user's own. */
function deleteData(dataDir: string, env: LocalSystemOptions['env']): void {
  if (env.MONGODB_URI || env.REDIS_URL || env.AMQP_URL) {
    throw new Error(
      '--fresh removes only data of stores that were started here; it can not be combined with given addresses',
    );
  }
  rmSync(dataDir, { recursive: true, force: true });
}

function runningAt(dir: string): string {
  const file = join(dir, 'demo.json');
  if (!existsSync(file)) return ' It is still starting.';
  const { gateway_url: url } = JSON.parse(readFileSync(file, 'utf8')) as { gateway_url: string };
  return ` It serves at ${url}; see ${file}.`;
}

/** The message of an error, without its stack. */
export function explain(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return `the disk is full (${message})`;
  if (code === 'EROFS') {
    return `the disk with ${path ?? 'its folder'} is read-only. Clone Sigcast into a folder that can be written, and start it there`;
  }
  return message ?? String(error);
}
