import { eventTopology } from '@sigcast/contracts';
import { type Broker, connectBroker, eventDeclarations } from '@sigcast/messaging';
import { connectMongo, ensureIndexes } from '@sigcast/mongo';
import { type Resources, silentLogger } from '@sigcast/runtime';
import { type TestStack, testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll } from 'vitest';
import { factIndexes, factsCollection } from '../src/store/fact-document.ts';

/** A connection to the stack's broker, with the topology of signal events. */
export function openBroker(stack: TestStack, resources: Resources): Promise<Broker> {
  const topology = eventTopology(stack.namespace);
  return connectBroker(
    {
      urls: [stack.amqpUrl],
      name: 'stats-test',
      declare: eventDeclarations(topology),
    },
    silentLogger(),
    resources,
  );
}

/** A connection to one of the stack's databases, with the indexes of facts. */
export async function openMongo(
  stack: TestStack,
  resources: Resources,
  database: string,
): Promise<Connection> {
  const connection = await connectMongo({ uri: stack.mongodbUri, database }, silentLogger(), resources);
  await ensureIndexes(connection, factsCollection, factIndexes);
  return connection;
}

/** A database of its own for the tests of a file or a group, with the indexes of facts. @returns the connection, once they run. */
export function useMongo(): () => Connection {
  const resources = new AsyncDisposableStack();
  let connection: Connection | undefined;
  beforeAll(async () => {
    const stack = resources.use(testStack());
    connection = await openMongo(stack, resources, stack.database('stats'));
  });
  afterAll(() => resources.disposeAsync());
  return () => {
    if (connection === undefined) throw new Error('there is no connection before the tests run');
    return connection;
  };
}

/** Deletes all facts and their aggregates. */
export async function clearFacts(connection: Connection): Promise<void> {
  for (const name of [factsCollection, 'aggregate_cells', 'aggregate_log']) {
    await connection.collection(name).deleteMany({});
  }
}
