import { keepRefreshing, openAggregates, waitForRoom } from '@sigcast/aggregates';
import {
  type EventPriority,
  eventTopology,
  idempotencyLifeMs,
  isOfImport,
  type OutgoingEvent,
} from '@sigcast/contracts';
import { identityVerifier, runProgram } from '@sigcast/http';
import {
  connectBroker,
  eventDeclarations,
  eventMessage,
  eventQueues,
  messagesReady,
} from '@sigcast/messaging';
import {
  connectMongo,
  mongoFrom,
  pingMongo,
  startIndexes,
  startKeyExpiry,
  startMigrations,
} from '@sigcast/mongo';
import { backoffMs, brokerFrom, newId, pause, serviceVersion, waitAtMost } from '@sigcast/runtime';
import { createApp } from './app.ts';
import { signalsConfig } from './config.ts';
import { importPace } from './domain/import-pace.ts';
import { eventStages, traceOfImported, traceOfRequest } from './event-stages.ts';
import { addLostQueues, RelayMetrics } from './metrics.ts';
import { noteLost } from './relay/lost-queues.ts';
import { pacedPublish } from './relay/paced-publish.ts';
import { startRelay } from './relay/relay.ts';
import { signalsServiceIndexes } from './store/indexes.ts';
import { signalsMigrations } from './store/migrations.ts';
import { archiveModel, mongoArchive } from './store/mongo-archive.ts';
import { mongoLostQueues } from './store/mongo-lost-queues.ts';
import { mongoOutbox, outboxState } from './store/mongo-outbox.ts';
import { followRevokedTokens, mongoRevokedTokens } from './store/revoked-tokens.ts';
import { signalAggregates, signalModel, signalsCollection } from './store/signal-document.ts';
import { mongoSignalStore } from './store/signal-store.ts';
import { mongoUsedTokens, noteUsedTokens } from './store/used-tokens.ts';
import { readSystemState } from './system-state.ts';

const now = () => new Date();
/** The longest that an import waits between two batches for events and totals of earlier ones, in milliseconds. */
const longestWaitMs = 5_000;

const from = { read: signalsConfig, env: process.env, source: import.meta.url };
await runProgram('signals', from, async ({ config, log, registry, resources, serve }) => {
  const mongo = await connectMongo({ ...mongoFrom(config), registry }, log, resources);
  await startIndexes(mongo, signalsServiceIndexes, log, resources);
  startKeyExpiry(mongo, signalsCollection, { lifeMs: idempotencyLifeMs, log, resources });
  const version = serviceVersion(new URL('../package.json', import.meta.url));
  startMigrations(mongo, signalsMigrations, { version, log, resources });
  const model = signalModel(mongo);
  const aggregates = openAggregates(mongo, signalAggregates);
  keepRefreshing(aggregates, log, resources);
  const archive = mongoArchive(archiveModel(mongo), now);

  const topology = eventTopology(config.BROKER_NAMESPACE);
  const queues = eventQueues(topology);
  const lost = mongoLostQueues(mongo);
  addLostQueues(registry, queues, lost);
  const broker = await connectBroker(
    {
      ...brokerFrom(config),
      name: 'signals',
      declare: eventDeclarations(topology, noteLost({ archive, lost, log })),
      registry,
    },
    log,
    resources,
  );
  const metrics = new RelayMetrics(registry, () => outboxState(model), Date.now);
  const stages = eventStages(log);
  const pace = importPace({ pause, nowMs: () => performance.now() });
  const publish = async (event: OutgoingEvent, priority: EventPriority) => {
    await broker.publish(eventMessage(topology.exchange, event, priority));
    metrics.relayed(event, priority, Date.now());
    pace.relayed(event.id);
    stages.relayed(event, priority);
  };
  const logRefused = async (routingKey: string) => {
    // A refusal does not name the queue. The numbers of waiting messages show which one is full.
    const waiting = await messagesReady(
      broker,
      queues.map(({ queue }) => queue),
    ).catch(() => new Map<string, undefined>());
    const fields = { routing_key: routingKey, waiting: Object.fromEntries(waiting) };
    log.warn(fields, 'relay: a queue is full or refuses events, they wait');
  };
  const relay = startRelay({
    outbox: mongoOutbox(model),
    archive,
    publish: pacedPublish(publish, (routingKey) => void logRefused(routingKey)),
    now,
    log,
    sweepEveryMs: 1_000,
  });
  // Released after the server and before the broker, so that events of the last requests are still published.
  resources.defer(() => relay.close());

  const app = createApp({
    log,
    accessLogShare: config.ACCESS_LOG_SHARE,
    store: mongoSignalStore(model, aggregates),
    notifyRelay: (signals) => relay.notify(signals),
    pace,
    drained: async () => {
      // Bounded: other writers can keep both busy, which must slow an import down but not stop it.
      const room = waitForRoom(aggregates, AbortSignal.timeout(longestWaitMs));
      await waitAtMost(longestWaitMs, Promise.all([relay.hasRoom(), room]));
    },
    now,
    newSignalId: (createdAtMs) => newId('sig', createdAtMs),
    newEventId: () => newId('evt'),
    traceOf: { request: traceOfRequest, import: traceOfImported },
    noteStored: (event, priority) => {
      // Also a change of an imported signal, whose event is bulk.
      if (!isOfImport(event.type, priority)) pace.stored(event.id, priority);
      stages.stored(event, priority);
    },
    pause: (attempt) => pause(backoffMs(attempt, { firstMs: 1, maxMs: 50 })),
    verifyGateway: identityVerifier('gateway', config.GATEWAY_PUBLIC_KEYS, 'signals'),
    verifyOperator: identityVerifier('operator', config.OPERATOR_PUBLIC_KEYS, 'signals'),
    noteToken: noteUsedTokens(mongoUsedTokens(mongo), log, resources),
    isRevoked: await followRevokedTokens(mongoRevokedTokens(mongo), log, resources),
    systemState: () => readSystemState({ outbox: () => outboxState(model), broker, queues, now: Date.now }),
    checks: { mongodb: () => pingMongo(mongo), broker: broker.checkCredentials },
    reportedChecks: { broker: broker.checkUsable },
  });
  await serve(app, { streamsUploads: true });
});
