import type { Logger, Resources } from '@sigcast/runtime';
import { type Connection, type ConnectOptions, createConnection } from 'mongoose';
import type { Registry } from 'prom-client';
import { measurePool } from './metrics.ts';
import { logRefusals, refusalOf } from './refusals.ts';
import type { MongoSettings } from './settings.ts';

/** How long an operation looks for a usable server before it fails, in milliseconds. */
const serverSelectionTimeoutMs = 3_000;

/**
 * How long the driver's own check of the server may take, and how often it looks, in milliseconds. With its
 * defaults a server that says nothing any more holds calls up for 40 s; with these, for about 8.
 */
const serverCheckTimeoutMs = 3_000;
const serverCheckEveryMs = 5_000;

/**
 * How long a write may wait for the majority, in milliseconds; then it counts as not known to have happened. Half of
 * what the gateway gives a service to answer in, so that the service says so itself.
 */
const majorityTimeoutMs = 5_000;

const pingTimeoutMs = 1_000;

const maxPoolSize = 50;

/**
 * What every call relies on, whatever a URI says (`mongoUriSetting` refuses one that says otherwise). Answers are acted
 * upon: an event is published, a delivery is sent. So a write counts when a majority has it in its journal, and a read,
 * from the primary, shows only what no failing server can take back. The Stable API makes MongoDB itself refuse whatever
 * a later version may drop.
 */
const stated = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: majorityTimeoutMs },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  serverApi: { version: '1', strict: true, deprecationErrors: true },
} as const satisfies ConnectOptions;

/**
 * Connects to MongoDB and registers the connection for release. Commands fail instead of queueing while the
 * store is away, the driver reconnects by itself. `registry`: where its metrics go; nowhere unless given.
 *
 * @throws when no server answers within 3 s, or one refuses us. The message says which, and no secret.
 */
export async function connectMongo(
  settings: MongoSettings & { readonly registry?: Registry },
  log: Logger,
  resources: Resources,
): Promise<Connection> {
  const connection = createConnection(settings.uri, {
    ...stated,
    ...(settings.ca === undefined ? {} : { tls: true, ca: settings.ca }),
    dbName: settings.database,
    serverSelectionTimeoutMS: serverSelectionTimeoutMs,
    connectTimeoutMS: serverCheckTimeoutMs,
    heartbeatFrequencyMS: serverCheckEveryMs,
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    maxPoolSize,
  });
  resources.defer(() => connection.close());
  if (settings.registry !== undefined) measurePool(connection, maxPoolSize, settings.registry);
  try {
    await connection.asPromise();
  } catch (cause) {
    const refusal = refusalOf(cause);
    throw new Error(`MongoDB can't be used: ${refusal ?? 'no server answers that can take writes'}`, {
      cause,
    });
  }
  logRefusals(connection.getClient(), log);
  connection.on('error', (err) => log.error({ err }, 'mongodb'));
  connection.on('disconnected', () => log.warn('mongodb: connection lost'));
  connection.on('reconnected', () => log.info('mongodb: connected again'));
  return connection;
}

/** Resolves when the store answers within a second; for readiness checks. */
export async function pingMongo(connection: Connection): Promise<void> {
  if (!connection.db) throw new Error('not connected');
  await connection.db.command({ ping: 1 }, { signal: AbortSignal.timeout(pingTimeoutMs) });
}
