// The tracker's poller: asks the market about signals that are due, and sends what it observed to the signals service.
import {
  createApp as createHttpApp,
  createMetrics,
  finishApp,
  HttpMetrics,
  healthRoutes,
  serve,
  serveMetrics,
} from '@sigcast/http';
import { connectMongo, mongoFrom, pingMongo, startIndexes } from '@sigcast/mongo';
import { checkMasters, connectRedis } from '@sigcast/redis';
import { configOrExit, createLogger, type Resources, runService, type Shutdown } from '@sigcast/runtime';
import { startTracing } from '@sigcast/telemetry';
import { readPollerConfig, redisSettings } from './poller-config.ts';
import { trackedCollection, trackedIndexes } from './store/tracked-document.ts';

const config = configOrExit(() => readPollerConfig(process.env));
const log = createLogger({ service: 'tracker-poller', level: config.LOG_LEVEL });

const start = async (resources: Resources, shutdown: Shutdown) => {
  await startTracing({ service: 'tracker-poller', config, log }, resources);
  const registry = createMetrics('tracker-poller', { source: import.meta.url, commit: config.BUILD_COMMIT });
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(connection, { [trackedCollection]: trackedIndexes }, log, resources);
  const redis = connectRedis(redisSettings(config), log, resources);
  const app = createHttpApp(log);
  healthRoutes(app, { mongodb: () => pingMongo(connection) }, { redis: () => checkMasters(redis) });
  await serve(
    finishApp(app, log),
    { host: config.HOST, port: config.PORT, shutdown, metrics: new HttpMetrics(registry) },
    log,
    resources,
  );
  await serveMetrics(registry, config, log, resources);
};

await runService(log, start, config);
