import { unavailable } from '@sigcast/contracts';
import { mongo } from 'mongoose';

const duplicateKeyCode = 11_000;

/** True when a write failed because a unique index already holds its value. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === duplicateKeyCode;
}

/**
 * The writes of an unordered bulk that the server refused, each with its index, while the others took place. Undefined
 * when nothing is known of any.
 */
export function refusedWrites(error: unknown): readonly mongo.WriteError[] | undefined {
  return error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : undefined;
}

/**
 * The indexes of a bulk's writes that unique indexes refused, where that is all that went wrong; else undefined. The
 * error's own code does not tell: it is that of the first refusal, and another kind may stand beside it.
 */
export function duplicateWrites(error: unknown): ReadonlySet<number> | undefined {
  const refused = refusedWrites(error) ?? [];
  if (refused.length === 0 || refused.some(({ code }) => code !== duplicateKeyCode)) return undefined;
  return new Set(refused.map(({ index }) => index));
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
    isBrokenBulk(error) ||
    isSocketError(error)
  );
}

/** A bulk write that no server answered: the driver wraps what happened instead, and keeps only the words. */
function isBrokenBulk(error: unknown): boolean {
  return (
    error instanceof mongo.MongoBulkWriteError &&
    error.code === undefined &&
    refusedWrites(error)?.length === 0
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
