import {
  type AccountStatus,
  accountEvent,
  accountTopology,
  type EventPriority,
  eventTopology,
  type SignalEvent,
  type SignalEventType,
  type SignalType,
} from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import {
  accountDeclarations,
  accountMessage,
  type Broker,
  connectBroker,
  eventDeclarations,
  eventMessage,
} from '@sigcast/messaging';
import { connectMongo } from '@sigcast/mongo';
import { type Logger, newId, pause, silentLogger } from '@sigcast/runtime';
import { type Receiver, startReceiver, type TestStack, testKeyPair, testStack } from '@sigcast/testing';
import type { Express } from 'express';
import type { Connection } from 'mongoose';
import { Registry } from 'prom-client';
import request from 'supertest';
import { createApp } from '../src/app.ts';
import { addressPolicy } from '../src/sending/address-policy.ts';
import { type SenderOptions, sender } from '../src/sending/sender.ts';
import { mongoDeliveryLog } from '../src/store/delivery-log.ts';
import { ensureWebhookIndexes } from '../src/store/ensure-indexes.ts';
import { mongoEventFeed } from '../src/store/event-feed.ts';
import { mongoHealthLog } from '../src/store/health-log.ts';
import { type Models, models } from '../src/store/models.ts';
import { mongoRecoveryStore } from '../src/store/recovery-store.ts';
import { mongoSubscriptionStore } from '../src/store/subscription-store.ts';
import { readSystemState } from '../src/store/system-state.ts';
import { FeedTail } from '../src/streaming/feed-tail.ts';
import { OpenStreams } from '../src/streaming/open-streams.ts';
import { startWorker } from '../src/worker.ts';
import { signalEventOf } from './fixtures/signal-event.ts';

/** Short enough to wait for, in the shape of the real one: three retries. */
export const delaysMs = [100, 150, 200];

export const development = { allowHttp: true, allowedNetworks: ['127.0.0.0/8'] };
export const developmentPolicy = addressPolicy(development);

/** Api and worker on stores of their own, and a receiver outside. */
export type Fixture = {
  readonly stack: TestStack;
  readonly database: string;
  readonly collections: Models;
  readonly broker: Broker;
  readonly receiver: Receiver;
  readonly app: Express;
  readonly streams: OpenStreams;
  /** What the gateway signs identities with. */
  readonly identityKey: string;
  /** A request as the gateway passes it on for an account. */
  as(account: string, method: 'get' | 'head' | 'post' | 'patch' | 'delete', path: string): request.Test;
  /** A subscription of an account of its own, at an address of the receiver that is proven. */
  subscribe(path: string, more?: object): Promise<{ id: string; secret: string }>;
  /** Lets the address of a subscription pass for one that has answered. */
  prove(subscription: string): Promise<void>;
  publish(event: SignalEvent, priority?: EventPriority): Promise<void>;
  /** Says how an account stands, as the gateway does. */
  tellOfAccount(account: string, rev: number, status: AccountStatus): Promise<void>;
  startWorker(
    options?: Partial<SenderOptions> & {
      maxInFlight?: number;
      retryDelaysMs?: readonly number[];
      /** The worker's own connection, where one looks at it. */
      registry?: Registry;
      name?: string;
      log?: Logger;
      watched?: { connection: Connection; onPublish: () => void };
    },
  ): Promise<AsyncDisposable>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function fixture({ streamLifeMs = 60_000 } = {}): Promise<Fixture> {
  const stack = testStack();
  const database = stack.database('webhooks');
  const log = silentLogger();
  const resources = new AsyncDisposableStack();
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, log, resources);
  await ensureWebhookIndexes(connection, log, resources);
  const collections = models(connection);
  const { namespace } = stack;
  const declare = [
    ...eventDeclarations(eventTopology(namespace)),
    ...accountDeclarations(accountTopology(namespace)),
  ];
  const broker = await connectBroker({ urls: [stack.amqpUrl], name: 'test', declare }, log, resources);
  const receiver = await startReceiver();
  resources.use(receiver);
  const keys = testKeyPair();
  const identity = identitySigner('gateway', keys.privateKey);
  const feed = mongoEventFeed(collections);
  const streams = new OpenStreams({ maxLifeMs: streamLifeMs, random: Math.random });
  const app = createApp({
    subscriptions: mongoSubscriptionStore(collections),
    deliveries: mongoDeliveryLog(collections, Date.now),
    health: mongoHealthLog(collections, Date.now),
    feed,
    stream: {
      feed,
      tail: new FeedTail({ feed, intervalMs: 20, pause, onProblem: () => undefined }),
      streams,
      heartbeatMs: 200,
      random: Math.random,
      log,
    },
    checkUrl: developmentPolicy.checkUrl,
    recoveries: mongoRecoveryStore(collections, Date.now),
    newId: () => newId('wh'),
    newEventId: () => newId('evt'),
    now: Date.now,
    verifyGateway: identityVerifier('gateway', keys.publicKey),
    systemState: () => readSystemState(collections, Date.now),
    checks: {},
    log,
  });
  const prove: Fixture['prove'] = async (id) => {
    await collections.subscriptions.updateOne({ _id: id }, { $set: { proven: true } });
  };
  const as: Fixture['as'] = (account, method, path) =>
    request(app)
      [method](path)
      .set('x-sigcast-identity', identity({ subject: account, scopes: [], ttlS: 60 }));
  return {
    stack,
    database,
    collections,
    broker,
    receiver,
    app,
    streams,
    identityKey: keys.privateKey,
    as,
    subscribe: async (path, more = {}) => {
      const answer = await as(newId('acct'), 'post', '/v1/webhooks')
        .send({ url: `${receiver.url}${path}`, events: ['signal.new'], ...more })
        .expect(201);
      const made = (answer.body as { data: { id: string; secret: string } }).data;
      await prove(made.id);
      return made;
    },
    prove,
    publish: (event, priority) =>
      broker.publish(eventMessage(eventTopology(namespace).exchange, event, priority)),
    tellOfAccount: (account, rev, status) => {
      const { exchange } = accountTopology(namespace);
      return broker.publish(accountMessage(exchange, accountEvent(account, rev, status)));
    },
    startWorker: async ({
      maxInFlight = 10,
      retryDelaysMs = delaysMs,
      watched,
      registry = new Registry(),
      name = newId('host'),
      log: ownLog = log,
      ...options
    } = {}) => {
      const own = new AsyncDisposableStack();
      const sending = sender({ policy: developmentPolicy, now: Date.now, ...options });
      own.defer(() => sending.close());
      const ownBroker = await connectBroker({ urls: [stack.amqpUrl], name: 'worker', declare }, ownLog, own);
      const deps = {
        broker: watched ? countingBroker(ownBroker, watched.onPublish) : ownBroker,
        connection: watched?.connection ?? connection,
        sender: sending,
        namespace,
        name,
        retryDelaysMs,
        maxInFlight,
        maxAttempts: 4_000,
        log: ownLog,
        registry,
      };
      await startWorker(deps, own);
      return own;
    },
    [Symbol.asyncDispose]: async () => {
      await resources.disposeAsync();
      await stack[Symbol.asyncDispose]();
    },
  };
}

/** A broker that tells of every message published. */
function countingBroker(broker: Broker, onPublish: () => void): Broker {
  // The original is the prototype, so that `connected` stays a getter.
  return Object.assign(Object.create(broker) as Broker, {
    publish: (message: Parameters<Broker['publish']>[0]) => {
      onPublish();
      return broker.publish(message);
    },
  });
}

/** An event about a signal of its own. */
export function signalEvent(
  type: SignalEventType = 'signal.new',
  signalType: SignalType = 'new',
): SignalEvent {
  const at = new Date().toISOString();
  return signalEventOf({ id: newId('evt'), signalId: newId('sig'), type, signalType, at });
}
