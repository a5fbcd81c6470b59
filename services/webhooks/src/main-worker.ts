// The webhooks worker: turns events into deliveries and delivers them.
import { hostname } from 'node:os';
import { webhookTopology } from '@sigcast/contracts';
import { probesApp, runProgram } from '@sigcast/http';
import { connectBroker, webhookDeclarations } from '@sigcast/messaging';
import { connectMongo, mongoFrom, pingMongo } from '@sigcast/mongo';
import { brokerFrom, sealer } from '@sigcast/runtime';
import { addressPolicyOf, readWorkerConfig } from './config.ts';
import { sender } from './sending/sender.ts';
import { models } from './store/models.ts';
import { requireOpenableSecrets } from './store/sealed-secrets.ts';
import { startWorker } from './worker.ts';

const from = { read: readWorkerConfig, env: process.env, source: import.meta.url };
await runProgram('webhooks-worker', from, async ({ config, log, registry, resources, serve }) => {
  const namespace = config.BROKER_NAMESPACE;
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  const broker = await connectBroker(
    {
      ...brokerFrom(config),
      name: 'webhooks-worker',
      registry,
      declare: webhookDeclarations(webhookTopology(namespace)),
    },
    log,
    resources,
  );
  const secrets = sealer(config.WEBHOOK_SEAL_KEYS);
  await requireOpenableSecrets(models(connection), secrets);
  const sending = sender({
    policy: addressPolicyOf(config),
    secrets,
    chats: { baseUrl: config.WEBHOOK_CHATS_URL, dashboardUrl: config.PUBLIC_URL },
    now: Date.now,
  });
  resources.defer(() => sending.close());
  const { WEBHOOK_MAX_IN_FLIGHT: maxInFlight, WEBHOOK_MAX_IN_FLIGHT_PER_WORKER: maxAttempts } = config;
  const { WEBHOOK_MAX_IN_FLIGHT_PER_HOST: maxPerHost } = config;
  let started = false;
  const checks = {
    worker: () => (started ? Promise.resolve() : Promise.reject(new Error('not started'))),
    mongodb: () => pingMongo(connection),
    broker: () => (broker.connected ? Promise.resolve() : Promise.reject(new Error('not connected'))),
  };
  const app = probesApp({ checks, reportedChecks: { broker: broker.checkUsable } }, log);
  // Served before the worker starts: a second process of the same name ends here, because its port is taken.
  const url = await serve(app);
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
});
