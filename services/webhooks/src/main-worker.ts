// The webhooks worker: turns events into deliveries and delivers them.
import { hostname } from 'node:os';
import {
  createApp as createHttpApp,
  createMetrics,
  finishApp,
  HttpMetrics,
  healthRoutes,
  serve,
  serveMetrics,
} from '@sigcast/http';
import { connectBroker } from '@sigcast/messaging';
import { connectMongo, mongoFrom, pingMongo } from '@sigcast/mongo';
import { configOrExit, createLogger, type Resources, runService, type Shutdown } from '@sigcast/runtime';
import { startTracing } from '@sigcast/telemetry';
import { addressPolicyOf, readWorkerConfig } from './config.ts';
import { sender } from './sending/sender.ts';
import { startWorker } from './worker.ts';

const config = configOrExit(() => readWorkerConfig(process.env));
const log = createLogger({ service: 'webhooks-worker', level: config.LOG_LEVEL });

const start = async (resources: Resources, shutdown: Shutdown) => {
  await startTracing({ service: 'webhooks-worker', config, log }, resources);
  const namespace = config.BROKER_NAMESPACE;
  const registry = createMetrics('webhooks-worker', { source: import.meta.url, commit: config.BUILD_COMMIT });
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  const broker = await connectBroker(
    {
      urls: config.AMQP_URL,
      ca: config.AMQP_CA,
      name: 'webhooks-worker',
      registry,
    },
    log,
    resources,
  );
  const sending = sender({ policy: addressPolicyOf(config), now: Date.now });
  resources.defer(() => sending.close());
  const { WEBHOOK_MAX_IN_FLIGHT: maxInFlight, WEBHOOK_MAX_IN_FLIGHT_PER_WORKER: maxAttempts } = config;
  const { WEBHOOK_MAX_IN_FLIGHT_PER_HOST: maxPerHost } = config;
  const app = createHttpApp(log);
  let started = false;
  const checks = {
    worker: () => (started ? Promise.resolve() : Promise.reject(new Error('not started'))),
    mongodb: () => pingMongo(connection),
    broker: () => (broker.connected ? Promise.resolve() : Promise.reject(new Error('not connected'))),
  };
  healthRoutes(app, { checks, reportedChecks: { broker: broker.checkUsable } });
  // Served before the worker starts: a second process of the same name ends here, because its port is taken.
  const url = await serve(
    finishApp(app, log),
    { host: config.HOST, port: config.PORT, shutdown, metrics: new HttpMetrics(registry) },
    log,
    resources,
  );
  await startWorker(
    {
      broker,
      connection,
      sender: sending,
      namespace,
      maxInFlight,
      maxPerHost,
      maxAttempts,
      log,
      registry,
      name: `${hostname()}/${new URL(url).host}`,
      retryDelaysMs: config.WEBHOOK_RETRY_DELAYS_MS,
    },
    resources,
  );
  started = true;
  await serveMetrics(registry, config, log, resources);
};

await runService(log, start, config);
