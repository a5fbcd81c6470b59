import { openAggregates } from '@sigcast/aggregates';
import {
  eventTopology,
  identityHeader,
  observationReportSchema,
  receivedSignalEventSchema,
  revisionsPageSchema,
  type SignalDetail,
  type SignalEvent,
  signalDetailSchema,
  signalRevisionSchema,
  signalsDecideScope,
  signalsReadScope,
  signalsStateSchema,
  signalsWriteScope,
  successSchema,
  systemReadScope,
} from '@sigcast/contracts';
import { identitySigner, identityVerifier } from '@sigcast/http';
import {
  type Broker,
  connectBroker,
  eventDeclarations,
  eventMessage,
  eventQueues,
  isRefusedByQueue,
  parseEventAs,
} from '@sigcast/messaging';
import { connectMongo, ensureIndexes } from '@sigcast/mongo';
import { newId, type Resources, silentLogger } from '@sigcast/runtime';
import { askApp, eventually, type TestStack, testKeyPair, testStack } from '@sigcast/testing';
import type { Express } from 'express';
import { expect } from 'vitest';
import { z } from 'zod';
import { createApp } from '../src/app.ts';
import { importPace } from '../src/domain/import-pace.ts';
import type { SignalStore } from '../src/domain/ports.ts';
import type { Archive, Outbox } from '../src/relay/outbox.ts';
import type { Publish } from '../src/relay/paced-publish.ts';
import { type Relay, startRelay } from '../src/relay/relay.ts';
import { archiveCollection, archiveIndexes, archiveModel, mongoArchive } from '../src/store/mongo-archive.ts';
import { mongoOutbox, outboxState } from '../src/store/mongo-outbox.ts';
import {
  type SignalModel,
  signalAggregates,
  signalIndexes,
  signalModel,
  signalsCollection,
} from '../src/store/signal-document.ts';
import { mongoSignalStore } from '../src/store/signal-store.ts';
import { readSystemState } from '../src/system-state.ts';

const log = silentLogger();

/** Keys and tokens of a gateway, of producers, of the tracker and of a reader. */
export function testIdentities() {
  const gateway = testKeyPair();
  const operator = testKeyPair();
  const sign = identitySigner('operator', operator.privateKey, 'signals');
  const forGateway = identitySigner('gateway', gateway.privateKey, 'signals');
  const token = (subject: string, scopes: readonly string[]) => sign({ subject, scopes, ttlS: 600 });
  return {
    gatewayPublicKey: gateway.publicKey,
    operatorPublicKey: operator.publicKey,
    account: forGateway({ subject: 'acct_1', scopes: [], ttlS: 600 }),
    system: forGateway({ subject: 'acct_1', scopes: [systemReadScope], ttlS: 600 }),
    producer: token('feed', [signalsWriteScope]),
    tracker: token('tracker', [signalsWriteScope, signalsDecideScope]),
    otherProducer: token('other-feed', [signalsWriteScope]),
    reader: token('stats', [signalsReadScope]),
    powerless: token('feed', []),
  };
}

type Identities = ReturnType<typeof testIdentities>;

/** The backing services of one test file, all released by one call. */
export function openStack() {
  const stack = testStack();
  const resources = new AsyncDisposableStack();
  return {
    stack,
    resources,
    close: async () => {
      await resources.disposeAsync();
      await stack[Symbol.asyncDispose]();
    },
  };
}

/** A connection to the broker, with the topology of signal events. */
export async function openBroker(
  stack: TestStack,
  resources: Resources,
  url = stack.amqpUrl,
): Promise<Broker> {
  const topology = eventTopology(stack.namespace);
  const broker = await connectBroker(
    { urls: [url], name: 'signals-test', declare: eventDeclarations(topology) },
    log,
    resources,
  );
  // On a busy machine the broker may take longer than a service waits for it at its start.
  await eventually(() => expect(broker.connected).toBe(true));
  return broker;
}

/** Every event that reaches the statistics' queue, in the order of arrival. */
export async function collectEvents(stack: TestStack, broker: Broker): Promise<SignalEvent[]> {
  const events: SignalEvent[] = [];
  const { queue, parked } = eventTopology(stack.namespace).stats;
  await broker.consume({
    queue,
    parked,
    prefetch: 1,
    handle: async (message) =>
      void events.push(parseEventAs(message, receivedSignalEventSchema) as SignalEvent),
  });
  return events;
}

/** Declares a queue that refuses messages beyond `most`, as a queue with a policy does, and the exchange with its name. */
export async function declareBounded(broker: Broker, queue: string, most: number): Promise<void> {
  const bound = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish', 'x-max-length': most };
  await broker.withChannel(async (channel) => {
    await channel.assertExchange(queue, 'direct');
    await channel.assertQueue(queue, { arguments: bound });
    await channel.bindQueue(queue, queue, queue);
  });
}

/** Publishes messages with the id `filling` until the queue refuses one, which is some messages after its bound. */
export async function fillQueue(broker: Broker, queue: string): Promise<void> {
  const message = { exchange: '', routingKey: queue, messageId: 'filling', body: Buffer.from('{}') };
  const isFull = () =>
    broker.publish(message).then(
      () => false,
      (error: unknown) => isRefusedByQueue(error),
    );
  while (!(await isFull()));
}

/** Starts a relay of a database's events, as the service does. */
export function openRelay(
  stack: TestStack,
  resources: Resources,
  options: {
    readonly model: SignalModel;
    readonly broker: Pick<Broker, 'publish'>;
    readonly now?: () => Date;
    readonly outbox?: Outbox;
    readonly sweepEveryMs?: number;
    readonly publish?: Publish;
  },
): Relay {
  const { exchange } = eventTopology(stack.namespace);
  const relay = startRelay({
    outbox: options.outbox ?? mongoOutbox(options.model),
    archive: openArchive(options.model),
    publish:
      options.publish ??
      (async (event, priority) => options.broker.publish(eventMessage(exchange, event, priority))),
    now: options.now ?? (() => new Date()),
    log,
    sweepEveryMs: options.sweepEveryMs ?? 50,
  });
  resources.defer(() => relay.close());
  return relay;
}

/** Resolves when no signal has events in its outbox. */
export function untilOutboxesAreEmpty(model: SignalModel): Promise<void> {
  return eventually(async () =>
    expect(await model.countDocuments({ relay_due_at: { $exists: true } })).toBe(0),
  );
}

/** The archive of a database of signals. */
export function openArchive(model: SignalModel): Archive {
  return mongoArchive(archiveModel(model.db), () => new Date());
}

/** The database of signals, with its indexes. */
export async function openModel(
  stack: TestStack,
  resources: Resources,
  name = 'signals',
): Promise<SignalModel> {
  const mongo = await connectMongo({ uri: stack.mongodbUri, database: stack.database(name) }, log, resources);
  await ensureIndexes(mongo, signalsCollection, signalIndexes);
  await ensureIndexes(mongo, archiveCollection, archiveIndexes);
  return signalModel(mongo);
}

const importReport = z.strictObject({
  received: z.int(),
  created: z.int(),
  duplicates: z.int(),
  failed: z.int(),
  errors: z.array(z.strictObject({ line: z.int(), message: z.string(), details: z.array(z.object({})) })),
  errors_truncated: z.boolean(),
});

/** What other services and producers read of successful answers. */
const internalAnswers = {
  'GET /internal/v1/signals': revisionsPageSchema,
  'GET /internal/v1/signals/{id}': successSchema(signalRevisionSchema),
  'POST /internal/v1/signals': successSchema(signalDetailSchema),
  'POST /internal/v1/signals/import': z.object({ success: z.literal(true), data: importReport }),
  'PATCH /internal/v1/signals/{id}': successSchema(signalDetailSchema),
  'POST /internal/v1/signals/observations': successSchema(observationReportSchema),
  'GET /internal/v1/state': successSchema(signalsStateSchema),
};
type Ask = ReturnType<typeof askApp>;

export type Service = {
  readonly app: Express;
  readonly model: SignalModel;
  readonly store: SignalStore;
  readonly api: ReturnType<typeof client>;
  readonly ask: Ask;
};

/** The application on a database, without a relay unless one is given. */
export function openService(options: {
  readonly model: SignalModel;
  readonly identities: Identities;
  readonly relay?: Relay;
  readonly now?: () => Date;
  readonly drained?: () => Promise<void>;
  /** The broker whose queues the system state shows; without it the broker does not answer. */
  readonly queues?: { readonly broker: Broker; readonly namespace: string };
  /** If given, the service acts as if others wrote single signals all the time, and an import pauses by calling this. */
  readonly waitBesideLive?: (ms: number) => Promise<void>;
  /** Wraps the store. */
  readonly around?: (store: SignalStore) => SignalStore;
  /** Default: no service token is revoked. */
  readonly isRevoked?: (tokenId: string) => boolean;
  /** Default: uses of tokens are not written down. */
  readonly noteToken?: Parameters<typeof createApp>[0]['noteToken'];
}): Service {
  const { model, identities, relay, now = () => new Date(), around = (store) => store } = options;
  const store = around(mongoSignalStore(model, openAggregates(model.db, signalAggregates)));
  const pace = importPace({ pause: options.waitBesideLive ?? (async () => undefined), nowMs: () => 0 });
  if (options.waitBesideLive) pace.stored('evt_live', 'live');
  const app = createApp({
    log,
    store,
    notifyRelay: (signals) => relay?.notify(signals),
    drained: options.drained ?? (async () => undefined),
    pace,
    now,
    newSignalId: (createdAtMs) => newId('sig', createdAtMs),
    newEventId: () => newId('evt'),
    traceOf: { request: () => undefined, import: () => undefined },
    noteStored: () => undefined,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    verifyGateway: identityVerifier('gateway', identities.gatewayPublicKey, 'signals'),
    verifyOperator: identityVerifier('operator', identities.operatorPublicKey, 'signals'),
    isRevoked: options.isRevoked ?? (() => false),
    noteToken: options.noteToken ?? (() => undefined),
    systemState: () =>
      readSystemState({
        outbox: () => outboxState(model),
        broker: options.queues?.broker ?? { withChannel: () => Promise.reject(new Error('no broker')) },
        queues: eventQueues(eventTopology(options.queues?.namespace)),
        now: () => now().getTime(),
      }),
    checks: {},
    reportedChecks: {},
  });
  const ask = askApp(app, internalAnswers);
  return { app, model, store, ask, api: client(ask, identities) };
}

/** The application on stores of its own with a relay, and all events that it published, in the order of arrival. */
export async function openPublishingService(
  stack: TestStack,
  resources: Resources,
  options: { readonly identities: Identities; readonly now: () => Date },
): Promise<{ readonly service: Service; readonly events: readonly SignalEvent[] }> {
  const broker = await openBroker(stack, resources);
  const model = await openModel(stack, resources);
  const events = await collectEvents(stack, broker);
  const relay = openRelay(stack, resources, { model, broker });
  return { service: openService({ model, relay, ...options }), events };
}

/** The service's callers: an account by way of the gateway, and a producer. */
function client(ask: Ask, identities: Identities) {
  const bearer = (token: string) => `Bearer ${token}`;
  return {
    get: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      ask.get(path).set({ [identityHeader]: identities.account, ...headers }),
    getInternal: (path: string) =>
      ask.get(`/internal/v1/signals${path}`).set('authorization', bearer(identities.reader)),
    post: (body: object, headers: Readonly<Record<string, string>> = {}) =>
      ask
        .post('/internal/v1/signals')
        .set({ authorization: bearer(identities.producer), ...headers })
        .send(body),
    patch: (id: string, body: object, token = identities.producer) =>
      ask.patch(`/internal/v1/signals/${id}`).set('authorization', bearer(token)).send(body),
    observe: (observations: readonly object[], token = identities.producer) =>
      ask
        .post('/internal/v1/signals/observations')
        .set('authorization', bearer(token))
        .send({ observations }),
    import: (lines: string, headers: Readonly<Record<string, string>> = {}) =>
      ask
        .post('/internal/v1/signals/import')
        .set({
          authorization: bearer(identities.producer),
          'content-type': 'application/x-ndjson',
          ...headers,
        })
        .send(lines),
  };
}

/** The `data` of a successful answer about one signal. @throws when it is none. */
export function detailOf(response: { readonly status: number; readonly body: unknown }): SignalDetail {
  const { success, data } = response.body as { success: boolean; data: SignalDetail };
  if (!success) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return data;
}

/** The fields that a 400 names. */
export function refusedFields(response: { readonly status: number; readonly body: unknown }): string[] {
  const { error } = response.body as { error?: { code: string; details?: { field: string }[] } };
  if (response.status !== 400 || error?.code !== 'INVALID_REQUEST') {
    throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  }
  return (error.details ?? []).map(({ field }) => field);
}
