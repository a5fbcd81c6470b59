import type { LookupFunction } from 'node:net';
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
import { accountMessage, type Broker, connectBroker, eventMessage } from '@sigcast/messaging';
import { connectMongo } from '@sigcast/mongo';
import { newId, pause, silentLogger } from '@sigcast/runtime';
import {
  type AppRequest,
  askApp,
  eventually,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
  type TestStack,
  testKeyPair,
  testStack,
} from '@sigcast/testing';
import type { Express } from 'express';
import { expect } from 'vitest';
import { createApp } from '../src/app.ts';
import { nameWarning } from '../src/sending/name-warning.ts';
import { mongoDeliveryLog } from '../src/store/delivery-log.ts';
import type { DeliveryDocument } from '../src/store/documents.ts';
import { ensureWebhookIndexes } from '../src/store/ensure-indexes.ts';
import { mongoEventFeed } from '../src/store/event-feed.ts';
import { eventLog } from '../src/store/event-log.ts';
import { mongoHealthLog } from '../src/store/health-log.ts';
import { type Models, models } from '../src/store/models.ts';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { mongoRecoveryStore } from '../src/store/recovery-store.ts';
import { mongoSubscriptionStore } from '../src/store/subscription-store.ts';
import { readSystemState } from '../src/store/system-state.ts';
import { FeedTail } from '../src/streaming/feed-tail.ts';
import { OpenStreams } from '../src/streaming/open-streams.ts';
import { signalEventOf, storedEventOf } from './fixtures/signal-event.ts';
import { testSealer } from './test-sealer.ts';
import { declarations, developmentPolicy, type TestWorkers, testWorkers } from './test-workers.ts';

type Method = 'get' | 'head' | 'post' | 'patch' | 'delete';

/** A subscription, as its account and its receiver see it. */
type TestWebhook = {
  readonly id: string;
  readonly secret: string;
  readonly account: string;
  /** A request of its account about it, as in `ask('post', 'test')`. */
  ask(method: Method, action?: string): AppRequest;
  /** The requests that the receiver got at its path. */
  received(): readonly ReceivedRequest[];
  /** The `webhook-id` of each of these requests. */
  receivedIds(): readonly unknown[];
};

type SubscribeOptions = {
  /** An account of its own unless given. */
  readonly account?: string;
  /** Whether its address counts as one that has answered with success; true unless given. */
  readonly proven?: boolean;
  /** Members of the body in place of the receiver's URL and `signal.new`. */
  readonly [member: string]: unknown;
};

/** Api and worker on stores of their own, and a receiver outside. */
export type Fixture = TestWorkers & {
  readonly stack: TestStack;
  readonly database: string;
  readonly collections: Models;
  readonly broker: Broker;
  readonly receiver: Receiver;
  readonly app: Express;
  readonly streams: OpenStreams;
  /** What the gateway signs identities with. */
  readonly identityKey: string;
  /** A request as the gateway passes it on for an account, which is verified and may have 20 webhooks unless given. */
  as(
    account: string,
    method: Method,
    path: string,
    claims?: { webhooks?: number; unverified?: boolean },
  ): AppRequest;
  /** Makes a subscription at this path of the receiver. */
  subscribe(path: string, options?: SubscribeOptions): Promise<TestWebhook>;
  /** Makes the address of a subscription one that has answered with success. */
  prove(subscription: string): Promise<void>;
  /** The requests that the receiver got at a path. */
  received(path: string): readonly ReceivedRequest[];
  publish(event: SignalEvent, priority?: EventPriority): Promise<void>;
  /** Resolves when a worker has made all deliveries of every event that `publish` has sent. */
  fannedOut(): Promise<void>;
  /** The same, and `marker`, a subscription to `signal.dead`, has got an event that was published after all of them. */
  settled(marker: Pick<TestWebhook, 'receivedIds'>): Promise<void>;
  /** Stores events in the feed, as a worker does before it makes their deliveries. */
  storeEvents(...events: readonly SignalEvent[]): Promise<void>;
  /** The delivery of an event to a subscription, as stored. */
  delivery(event: string, subscription: string): Promise<DeliveryDocument | null>;
  /** Publishes the state of an account, as the gateway does. */
  publishAccountState(
    account: string,
    rev: number,
    status: AccountStatus,
    more?: { readonly accessRevokedAt?: Date; readonly unverified?: boolean },
  ): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** No name that begins with `nowhere` exists; every other name leads to loopback. */
const knownNames: LookupFunction = (host, _options, done) => {
  if (host.startsWith('nowhere')) done(Object.assign(new Error(host), { code: 'ENOTFOUND' }), '');
  else done(null, [{ address: '127.0.0.1', family: 4 }]);
};

/** Makes a fixture. `streamLifeMs`: the longest life of a stream. */
export async function fixture({ streamLifeMs = 60_000 } = {}): Promise<Fixture> {
  const stack = testStack();
  const database = stack.database('webhooks');
  const log = silentLogger();
  const resources = new AsyncDisposableStack();
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, log, resources);
  await ensureWebhookIndexes(connection, log, resources);
  const collections = models(connection);
  const published = new Set<string>();
  const { namespace } = stack;
  const declare = declarations(namespace);
  const broker = await connectBroker({ urls: [stack.amqpUrl], name: 'test', declare }, log, resources);
  await eventually(() => expect(broker.connected).toBe(true));
  const receiver = await startReceiver();
  resources.use(receiver);
  const keys = testKeyPair();
  const identity = identitySigner('gateway', keys.privateKey, 'webhooks');
  const feed = mongoEventFeed(collections);
  const streams = new OpenStreams({ maxLifeMs: streamLifeMs, random: Math.random });
  const app = createApp({
    subscriptions: mongoSubscriptionStore(collections),
    deliveries: mongoDeliveryLog(collections, Date.now),
    health: mongoHealthLog(collections, Date.now),
    stream: {
      feed,
      tail: new FeedTail({ feed, intervalMs: 20, pause, onProblem: () => undefined }),
      streams,
      heartbeatMs: 200,
      random: Math.random,
      log,
    },
    checkUrl: developmentPolicy.checkUrl,
    secrets: testSealer,
    nameWarning: nameWarning(developmentPolicy, knownNames),
    recoveries: mongoRecoveryStore(collections, Date.now),
    newId: () => newId('wh'),
    newEventId: () => newId('evt'),
    now: Date.now,
    verifyGateway: identityVerifier('gateway', keys.publicKey, 'webhooks'),
    systemState: () => readSystemState(collections, Date.now),
    checks: {},
    log,
  });
  const prove: Fixture['prove'] = async (id) => {
    await collections.subscriptions.updateOne({ _id: id }, { $set: { proven: true } });
  };
  const received: Fixture['received'] = (path) =>
    receiver.requests.filter((request) => request.path === path);
  const { append, saveLast } = eventLog(collections, Date.now);
  const workers = testWorkers(stack, connection);
  const as: Fixture['as'] = (account, method, path, claims) =>
    askApp(app)
      [method](path)
      .set(
        'x-sigcast-identity',
        identity({ subject: account, scopes: [], ttlS: 60, webhooks: 20, ...claims }),
      );
  const publish: Fixture['publish'] = (event, priority) => {
    published.add(event.id);
    return broker.publish(eventMessage(eventTopology(namespace).exchange, event, priority));
  };
  const fannedOut = () =>
    eventually(async () => {
      const done = { _id: { $in: [...published] }, fanned_out: true };
      expect(await collections.events.countDocuments(done)).toBe(published.size);
    });
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
    subscribe: async (path, { account = newId('acct'), proven = true, ...more } = {}) => {
      const answer = await as(account, 'post', '/v1/webhooks')
        .send({ url: `${receiver.url}${path}`, events: ['signal.new'], ...more })
        .expect(201);
      const { id, secret } = (answer.body as { data: { id: string; secret: string } }).data;
      if (proven) await prove(id);
      return {
        id,
        secret,
        account,
        ask: (method, action = '') =>
          as(account, method, `/v1/webhooks/${id}${action === '' ? '' : `/${action}`}`),
        received: () => received(path),
        receivedIds: () => received(path).map(({ headers }) => headers['webhook-id']),
      };
    },
    prove,
    received,
    publish,
    fannedOut,
    settled: async (marker) => {
      const last = signalEvent('signal.dead');
      await publish(last);
      await fannedOut(); // a later event may be fanned out before
      await eventually(() => expect(marker.receivedIds()).toContain(last.id));
    },
    storeEvents: async (...events) => {
      await Promise.all(events.map((event) => append(storedEventOf(event))));
      await saveLast();
    },
    delivery: (event, subscription) =>
      collections.deliveries.findById(deliveryId(event, subscription)).lean(),
    publishAccountState: (account, rev, status, { accessRevokedAt, unverified = false } = {}) => {
      const { exchange } = accountTopology(namespace);
      const access_revoked_at = accessRevokedAt?.toISOString() ?? null;
      const event = accountEvent({ account, rev, status, unverified, access_revoked_at });
      return broker.publish(accountMessage(exchange, event));
    },
    ...workers,
    [Symbol.asyncDispose]: async () => {
      await workers.endWorkers();
      await resources.disposeAsync();
      await stack[Symbol.asyncDispose]();
    },
  };
}

/** An event about a signal of its own. */
export function signalEvent(
  type: SignalEventType = 'signal.new',
  signalType: SignalType = 'new',
): SignalEvent {
  const at = new Date().toISOString();
  return signalEventOf({ id: newId('evt'), signalId: newId('sig'), type, signalType, at });
}
