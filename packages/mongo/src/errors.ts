import { unavailable } from '@sigcast/contracts';
import { mongo } from 'mongoose';

/** True when a write failed because a unique index already holds its value. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === 11_000;
}

/** True when the store could not be reached or gave up, so that the same operation may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongo.MongoNotConnectedError ||
    error instanceof mongo.MongoTopologyClosedError ||
    error instanceof mongo.MongoOperationTimeoutError ||
    (error instanceof mongo.MongoError && error.hasErrorLabel('RetryableWriteError'))
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
