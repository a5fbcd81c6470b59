import {
  configOrExit,
  createLogger,
  type Environment,
  type Logger,
  type Resources,
  runService,
  type ServerSettings,
  type Shutdown,
} from '@sigcast/runtime';
import { startTracing, type TracingSettings } from '@sigcast/telemetry';
import type { Express } from 'express';
import type { Registry } from 'prom-client';
import { markNotReady } from './health.ts';
import { HttpMetrics } from './http-metrics.ts';
import { createMetrics, serveMetrics } from './metrics.ts';
import { type ServeSettings, serve } from './serve.ts';

/** What every program that serves has. */
export type Program<C> = {
  readonly config: C;
  readonly log: Logger;
  /** The registry of its metrics, which are served when it has started. */
  readonly registry: Registry;
  /** Released in reverse order when the program stops. */
  readonly resources: Resources;
  /** Serves at `HOST` and `PORT`. `beside`: what answers beside `/metrics`. @returns the address. */
  readonly serve: (app: Express, settings?: ProgramServeSettings) => Promise<string>;
};

type ProgramServeSettings = Omit<ServeSettings, 'host' | 'port' | 'shutdown'> & { readonly beside?: Express };

/**
 * Runs a program that serves; see `runService`. With wrong settings it exits with 78.
 *
 * @param name of the program in log, metrics and traces. `source`: the URL of a file in its service's `src`.
 */
export async function runProgram<C extends ServerSettings & TracingSettings>(
  name: string,
  from: {
    readonly read: (env: Environment) => C;
    readonly env: Environment;
    readonly source: string;
  },
  start: (program: Program<C>) => Promise<void>,
): Promise<void> {
  const config = configOrExit(() => from.read(from.env));
  const log = createLogger({ service: name, level: config.LOG_LEVEL });
  const run = async (resources: Resources, shutdown: Shutdown) => {
    // Before other resources, so that the spans of their release are still sent.
    await startTracing({ service: name, config, log }, resources);
    const registry = createMetrics(name, { source: from.source, commit: config.BUILD_COMMIT });
    const at = { host: config.HOST, port: config.PORT, shutdown };
    let servesMetrics = false;
    const serveOthers = async (others?: Express) => {
      if (!servesMetrics) await serveMetrics(registry, { ...config, others }, log, resources);
      servesMetrics = true;
    };
    await start({
      config,
      log,
      registry,
      resources,
      serve: async (app, { beside, metrics = new HttpMetrics(registry), ...settings } = {}) => {
        if (beside) {
          shutdown.stopping.addEventListener('abort', () => markNotReady(beside));
          // Opened first and closed last: probes and metrics are answered while clients' requests end.
          await serveOthers(beside);
        }
        return serve(app, { ...settings, ...at, metrics }, log, resources);
      },
    });
    await serveOthers();
  };
  await runService(log, run, config);
}
