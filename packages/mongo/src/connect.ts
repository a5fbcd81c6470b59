import type { Logger, Resources } from '@sigcast/runtime';
import { type Connection, type ConnectOptions, createConnection } from 'mongoose';
import type { Registry } from 'prom-client';
import { limitTime } from './limit-time.ts';
import { measurePool } from './metrics.ts';
import { logRefusals, refusalOf } from './refusals.ts';
import type { MongoSettings } from './settings.ts';

/** How long an operation waits for a usable server before it fails, in milliseconds. */
const serverSelectionTimeoutMs = 3_000;

/**
 * Timeout and interval of the driver's own check of the server, in milliseconds. A read that is under way when the server
 * freezes waits until the next check fails, then once more for a usable server: 8 s in all at most. The gateway waits for 10 s,
 * so that the service itself answers with the error. With the driver's defaults it would be 40 s.
 */
const serverCheckTimeoutMs = 3_000;
const serverCheckEveryMs = 2_000;

/**
 * How long a write may wait for the majority, in milliseconds. After that nobody knows whether the write lasts. Half of
 * the time in which the gateway expects an answer, so that the service itself answers with the error.
 */
const majorityTimeoutMs = 5_000;

/** How long a query may take, in milliseconds: then the gateway gives up, and nobody waits for the answer any more. */
const queryTimeMs = 10_000;
/** For operators' commands, which may read everything: MongoDB's number for no limit. */
export const noTimeLimit = 0;

const pingTimeoutMs = 1_000;

const maxPoolSize = 50;

/**
 * The guarantees of every call. `mongoUriSetting` refuses a URI that contradicts them. A write counts when a majority has
 * it in its journal. A read, from the primary, shows only data that no failing server can roll back. With the Stable API
 * MongoDB refuses commands that a later version may drop.
 */
const guarantees = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: majorityTimeoutMs },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  serverApi: { version: '1', strict: true, deprecationErrors: true },
} as const satisfies ConnectOptions;

/**
 * Connects to MongoDB and registers the connection for release. While the store is away commands fail at once, and the
 * driver reconnects by itself. `registry`: gets the connection's metrics, if given. `queryTimeMs`: how long a query may take,
 * 10 s unless given.
 *
 * @throws when no server answers within 3 s, or a server refuses access. The message says which, without a secret.
 */
export async function connectMongo(
  settings: MongoSettings & { readonly registry?: Registry; readonly queryTimeMs?: number },
  log: Logger,
  resources: Resources,
): Promise<Connection> {
  const connection = createConnection(settings.uri, {
    ...guarantees,
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
    throw new Error(`MongoDB can't be used: ${refusal ?? 'no server that takes writes answers'}`, {
      cause,
    });
  }
  if (connection.db) limitTime(connection.db, settings.queryTimeMs ?? queryTimeMs);
  logRefusals(connection.getClient(), log);
  connection.on('error', (err) => log.error({ err }, 'mongodb: connection error'));
  connection.on('disconnected', () => log.warn('mongodb: connection lost'));
  connection.on('reconnected', () => log.info('mongodb: connected again'));
  return connection;
}

/** Resolves when the store answers within a second; for readiness checks. */
export async function pingMongo(connection: Connection): Promise<void> {
  if (!connection.db) throw new Error('not connected');
  await connection.db.command({ ping: 1 }, { signal: AbortSignal.timeout(pingTimeoutMs) });
}
