import { unavailable } from '@sigcast/contracts';
import { mongo } from 'mongoose';

/** True when a write failed because a unique index already holds its value. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === 11_000;
}

/**
 * What a server answers while it stops, starts or hands over to another (MongoDB: retryable errors): shutting down,
 * interrupted, not primary, node recovering, host unreachable, network timeout, exceeded time limit.
 */
const passingServerCodes: ReadonlySet<unknown> = new Set([
  6, 7, 50, 89, 91, 189, 262, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

/** True when the store could not be reached or gave up, so that the same operation may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongo.MongoNotConnectedError ||
    error instanceof mongo.MongoTopologyClosedError ||
    error instanceof mongo.MongoOperationTimeoutError ||
    (error instanceof mongo.MongoServerError && passingServerCodes.has(error.code)) ||
    (error instanceof mongo.MongoError && error.hasErrorLabel('RetryableWriteError')) ||
    isSocketError(error)
  );
}

/** The driver lets the error of a write to a connection that is just breaking through as Node made it. */
function isSocketError(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'syscall' in error &&
    (error.syscall === 'read' || error.syscall === 'write' || error.syscall === 'connect')
  );
}

/** The driver's error as the one the service's domain knows; others are returned as they are. */
export function translateMongoError(error: unknown): unknown {
  return isUnavailable(error) ? unavailable('The data store', error) : error;
}

/** Runs a store operation with its driver errors translated. */
export async function storeCall<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw translateMongoError(error);
  }
}
