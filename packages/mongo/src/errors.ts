import { SigcastError, unavailable } from '@sigcast/contracts';
import { mongo } from 'mongoose';
import { kindOf } from './error-kind.ts';
import { serverErrors } from './server-errors.ts';

/** True when a write failed because a unique index already holds its value. */
export function isDuplicateKey(error: unknown): boolean {
  return kindOf(error) === 'taken';
}

/**
 * The writes of an unordered bulk that the server refused, each with its index, while the others took place. Undefined
 * when nothing is known of any.
 */
export function refusedWrites(error: unknown): readonly mongo.WriteError[] | undefined {
  if (!(error instanceof mongo.MongoBulkWriteError)) return undefined;
  // Where a majority did not take the others, nobody knows whether they last.
  return error.result.getWriteConcernError() === undefined ? [error.writeErrors].flat() : undefined;
}

/**
 * The indexes of a bulk's writes that unique indexes refused, where that is all that went wrong; else undefined. The
 * error's own code does not tell: it is that of the first refusal, and another kind may stand beside it.
 */
export function duplicateWrites(error: unknown): ReadonlySet<number> | undefined {
  const refused = refusedWrites(error) ?? [];
  if (refused.length === 0 || refused.some(({ code }) => !isTaken(code))) return undefined;
  return new Set(refused.map(({ index }) => index));
}

function isTaken(code: unknown): boolean {
  return typeof code === 'number' && serverErrors.get(code)?.kind === 'taken';
}

/** True when the store could not be reached, gave up or did not let us in, so that the same may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 'outage' || kind === 'refused';
}

/**
 * What the store said, as the errors that the service's domain and its edges know: SERVICE_UNAVAILABLE for an outage,
 * INTERNAL_ERROR for a fault of ours. Duplicate keys, which callers look at, and whatever is not of the store are
 * returned as they are.
 */
export function translateMongoError(error: unknown): unknown {
  if (isUnavailable(error)) return unavailable('The data store', error);
  if (kindOf(error) !== 'fault') return error;
  return new SigcastError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: error });
}

/** Runs a store operation with its driver errors translated. */
export async function storeCall<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw translateMongoError(error);
  }
}
