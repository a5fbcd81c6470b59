import type { Logger, Resources } from '@sigcast/runtime';
import { type Connection, createConnection } from 'mongoose';

/** How long an operation looks for a usable server before it fails, in milliseconds. */
const serverSelectionTimeoutMs = 3_000;

/**
 * How long the driver's own check of the server may take, and how often it looks, in milliseconds. With its
 * defaults a server that says nothing any more holds calls up for 40 s; with these, for about 8.
 */
const serverCheckTimeoutMs = 3_000;
const serverCheckEveryMs = 5_000;

const pingTimeoutMs = 1_000;

/** Where a service's data is. */
export type MongoSettings = { readonly uri: string; readonly database: string };

/**
 * Connects to MongoDB and registers the connection for release. Commands fail instead of queueing while the
 * store is away, the driver reconnects by itself.
 *
 * @throws when no server answers within 3 s.
 */
export async function connectMongo(
  settings: MongoSettings,
  log: Logger,
  resources: Resources,
): Promise<Connection> {
  const connection = createConnection(settings.uri, {
    dbName: settings.database,
    serverSelectionTimeoutMS: serverSelectionTimeoutMs,
    connectTimeoutMS: serverCheckTimeoutMs,
    heartbeatFrequencyMS: serverCheckEveryMs,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    maxPoolSize: 50,
  });
  resources.defer(() => connection.close());
  connection.on('error', (err) => log.error({ err }, 'mongodb'));
  connection.on('disconnected', () => log.warn('mongodb: connection lost'));
  connection.on('reconnected', () => log.info('mongodb: connected again'));
  await connection.asPromise();
  return connection;
}

/** Resolves when the store answers within a second; for readiness checks. */
export async function pingMongo(connection: Connection): Promise<void> {
  if (!connection.db) throw new Error('not connected');
  await connection.db.command({ ping: 1 }, { signal: AbortSignal.timeout(pingTimeoutMs) });
}
