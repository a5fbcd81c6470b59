import { eventTopology } from '@sigcast/contracts';
import { identityVerifier } from '@sigcast/http';
import { type Broker, connectBroker, eventDeclarations } from '@sigcast/messaging';
import { connectMongo, ensureIndexes } from '@sigcast/mongo';
import { type Resources, silentLogger } from '@sigcast/runtime';
import { type TestStack, testStack } from '@sigcast/testing';
import type { Express } from 'express';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll } from 'vitest';
import { type AppDeps, createApp } from '../src/app.ts';
import { trackerIndexes } from '../src/store/indexes.ts';
import { mongoBacktestHistory } from '../src/store/mongo-backtest-history.ts';
import { mongoBacktests } from '../src/store/mongo-backtests.ts';
import { mongoHistory } from '../src/store/mongo-history.ts';
import { mongoPast } from '../src/store/mongo-past.ts';
import {
  type ObservationDocument,
  observationRange,
  observationsCollection,
} from '../src/store/observation-document.ts';
import { type TrackedDocument, trackedCollection } from '../src/store/tracked-document.ts';

/** A connection to the stack's broker, with the topology of signal events. */
export function openBroker(stack: TestStack, resources: Resources): Promise<Broker> {
  const topology = eventTopology(stack.namespace);
  return connectBroker(
    {
      urls: [stack.amqpUrl],
      name: 'tracker-test',
      declare: eventDeclarations(topology),
    },
    silentLogger(),
    resources,
  );
}

/**
 * A connection to one of the stack's databases, with the tracker's indexes but those that expire documents: tests live in
 * the past, and MongoDB would remove their backtests by today's clock at any moment.
 */
export async function openMongo(
  stack: TestStack,
  resources: Resources,
  database: string,
): Promise<Connection> {
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, silentLogger(), resources);
  for (const [collection, indexes] of Object.entries(trackerIndexes)) {
    const lasting = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds === undefined);
    await ensureIndexes(connection, collection, lasting);
  }
  return connection;
}

/** A database of its own for the tests of a file or a group. @returns the connection, once they run. */
export function useMongo(): () => Connection {
  const resources = new AsyncDisposableStack();
  let connection: Connection | undefined;
  beforeAll(async () => {
    const stack = resources.use(testStack());
    connection = await openMongo(stack, resources, stack.database('tracker'));
  });
  afterAll(() => resources.disposeAsync());
  return () => {
    if (connection === undefined) throw new Error('there is no connection before the tests run');
    return connection;
  };
}

/** The service's application over a test's database, without health checks. */
export function appOver(
  connection: Connection,
  { gatewayKey, ...others }: Partial<AppDeps> & { readonly gatewayKey: string },
): Express {
  return createApp({
    ...appStores(connection),
    verifyGateway: identityVerifier('gateway', gatewayKey, 'tracker'),
    checks: {},
    reportedChecks: {},
    log: silentLogger(),
    ...others,
  });
}

/** What the service's application reads and writes, in MongoDB. */
function appStores(connection: Connection) {
  return {
    history: mongoHistory(connection),
    past: mongoPast(connection),
    backtests: mongoBacktests(connection),
    backtestHistory: mongoBacktestHistory(connection),
  };
}

/** A signal's observations as they are stored, in order of `rev`. */
export function storedObservations(connection: Connection, signal: string): Promise<ObservationDocument[]> {
  return connection
    .collection<ObservationDocument>(observationsCollection)
    .find({ _id: observationRange(signal) })
    .sort({ _id: 1 })
    .toArray();
}

/** A signal as it is stored; undefined where the tracker does not know it. */
export async function storedSignal(
  connection: Connection,
  signal: string,
): Promise<TrackedDocument | undefined> {
  return (
    (await connection.collection<TrackedDocument>(trackedCollection).findOne({ _id: signal })) ?? undefined
  );
}
