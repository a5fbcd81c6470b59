// The webhooks api: subscriptions, delivery log, and events to read or to follow.
import { idempotencyLifeMs } from '@sigcast/contracts';
import { addGauges, identityVerifier, runProgram } from '@sigcast/http';
import { connectMongo, mongoFrom, pingMongo, startKeyExpiry } from '@sigcast/mongo';
import { newId, pause, repeat, sealer } from '@sigcast/runtime';
import { createApp } from './app.ts';
import { addressPolicyOf, readApiConfig } from './config.ts';
import { nameLookup } from './sending/name-lookup.ts';
import { nameWarning } from './sending/name-warning.ts';
import { removeOrphanedDeliveries } from './store/deleted-subscriptions.ts';
import { mongoDeliveryLog } from './store/delivery-log.ts';
import { ensureWebhookIndexes } from './store/ensure-indexes.ts';
import { mongoEventFeed } from './store/event-feed.ts';
import { mongoHealthLog } from './store/health-log.ts';
import { models } from './store/models.ts';
import { mongoRecoveryStore } from './store/recovery-store.ts';
import { requireOpenableSecrets } from './store/sealed-secrets.ts';
import { mongoSubscriptionStore } from './store/subscription-store.ts';
import { readSystemState } from './store/system-state.ts';
import { FeedTail } from './streaming/feed-tail.ts';
import { OpenStreams } from './streaming/open-streams.ts';

/** The pause between two reads of new events while streams are open, in milliseconds. */
const tailIntervalMs = 100;

const from = { read: readApiConfig, env: process.env, source: import.meta.url };
await runProgram('webhooks-api', from, async ({ config, log, registry, resources, serve }) => {
  const connection = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await ensureWebhookIndexes(connection, log, resources);
  const collections = models(connection);
  const secrets = sealer(config.WEBHOOK_SEAL_KEYS);
  await requireOpenableSecrets(collections, secrets);
  startKeyExpiry(connection, collections.subscriptions.collection.name, {
    lifeMs: idempotencyLifeMs,
    log,
    resources,
  });
  const problem = 'removing deliveries of deleted subscriptions failed';
  const removeOrphaned = () => removeOrphanedDeliveries(collections, new Date());
  repeat(removeOrphaned, { problem, everyMs: 60_000, log }, resources);
  const policy = addressPolicyOf(config);
  const names = nameLookup();
  resources.defer(names.close);
  const feed = mongoEventFeed(collections);
  const streams = new OpenStreams({
    maxLifeMs: config.STREAM_MAX_LIFE_MS,
    random: Math.random,
  });
  const app = createApp({
    subscriptions: mongoSubscriptionStore(collections),
    deliveries: mongoDeliveryLog(collections, Date.now),
    health: mongoHealthLog(collections, Date.now),
    checkUrl: policy.checkUrl,
    secrets,
    nameWarning: nameWarning(policy, names.lookup),
    recoveries: mongoRecoveryStore(collections, Date.now),
    stream: {
      feed,
      tail: new FeedTail({
        feed,
        intervalMs: tailIntervalMs,
        pause,
        onProblem: (err) => log.warn({ err }, 'reading new events failed'),
      }),
      streams,
      heartbeatMs: config.STREAM_HEARTBEAT_MS,
      random: Math.random,
      log,
    },
    newId: () => newId('wh'),
    newEventId: () => newId('evt'),
    now: Date.now,
    verifyGateway: identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS, 'webhooks'),
    systemState: () => readSystemState(collections, Date.now),
    checks: { mongodb: () => pingMongo(connection) },
    log,
    accessLogShare: config.ACCESS_LOG_SHARE,
  });
  const endStreams = () => streams.stop();
  await serve(app, { endStreams });
  const open = { name: 'sigcast_webhooks_streams_open', help: 'Event streams open in this process.' };
  addGauges(registry, [open], async () => [streams.open]);
});
