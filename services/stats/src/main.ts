import { eventTopology } from '@sigcast/contracts';
import { identityVerifier, serve } from '@sigcast/http';
import { connectBroker, declareEventTopology } from '@sigcast/messaging';
import { connectMongo, pingMongo } from '@sigcast/mongo';
import { configOrExit, createLogger, runService } from '@sigcast/runtime';
import { createApp } from './app.ts';
import { statsConfig } from './config.ts';
import { recordFacts } from './consumers/record-facts.ts';
import { mongoFacts } from './store/mongo-facts.ts';
import { mongoStatistics } from './store/mongo-statistics.ts';

const config = configOrExit(() => statsConfig(process.env));
const log = createLogger({ service: 'stats', level: config.LOG_LEVEL });

await runService(log, async (resources) => {
  const verifyGateway = identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS);
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const connection = await connectMongo(
    { uri: config.MONGODB_URI, database: config.MONGODB_DATABASE },
    log,
    resources,
  );
  const facts = await mongoFacts(connection);
  const broker = await connectBroker(
    { url: config.AMQP_URL, name: 'stats', declare: (channel) => declareEventTopology(channel, topology) },
    log,
    resources,
  );
  await recordFacts(broker, topology.stats, facts);
  const app = createApp({
    store: mongoStatistics(connection),
    verifyGateway,
    checks: { mongodb: () => pingMongo(connection) },
    informational: {
      broker: () => (broker.connected ? Promise.resolve() : Promise.reject(new Error('no connection'))),
    },
    log,
    now: () => new Date(),
  });
  await serve(app, { host: config.HOST, port: config.PORT }, log, resources);
});
