import { SigcastError, unavailable } from '@sigcast/contracts';
import { mongo } from 'mongoose';
import { kindOf } from './error-kind.ts';
import { serverErrors } from './server-errors.ts';

/** Whether a write failed because a unique index has one of its values already. */
export function isDuplicateKey(error: unknown): boolean {
  return kindOf(error) === 'taken';
}

/**
 * Runs an insert or a bulk of writes. @returns false when unique indexes have values of it already: in an unordered bulk the
 * other writes were done. @throws what else goes wrong.
 */
export async function isInserted(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    const isBulk = error instanceof mongo.MongoBulkWriteError;
    if (isBulk ? duplicateWrites(error) : isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * The writes of an unordered bulk that the server refused, each with its index; the other writes were done. Undefined when
 * it is unknown which writes were done.
 */
export function refusedWrites(error: unknown): readonly mongo.WriteError[] | undefined {
  if (!(error instanceof mongo.MongoBulkWriteError)) return undefined;
  // Without confirmation by a majority nobody knows whether the other writes last.
  return error.result.getWriteConcernError() === undefined ? [error.writeErrors].flat() : undefined;
}

/**
 * The indexes of a bulk's writes that unique indexes refused, if there was no other error; otherwise undefined. The error's
 * own code is not enough, because it is the code of the first refused write alone.
 */
export function duplicateWrites(error: unknown): ReadonlySet<number> | undefined {
  const refused = refusedWrites(error) ?? [];
  if (refused.length === 0 || refused.some(({ code }) => !isTaken(code))) return undefined;
  return new Set(refused.map(({ index }) => index));
}

function isTaken(code: unknown): boolean {
  return typeof code === 'number' && serverErrors.get(code)?.kind === 'taken';
}

/** Whether the same call may succeed later: the store could not be reached, gave up or refused access. */
export function isUnavailable(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === 'outage' || kind === 'refused';
}

/**
 * Translates an error of the store: SERVICE_UNAVAILABLE for an outage, INTERNAL_ERROR for a call that is wrong. Returns
 * duplicate keys, which callers handle, and errors of another origin unchanged.
 */
export function translateMongoError(error: unknown): unknown {
  if (isUnavailable(error)) return unavailable('The data store', error);
  if (kindOf(error) !== 'fault') return error;
  return new SigcastError('INTERNAL_ERROR', 'Something went wrong on our side', { cause: error });
}

/** Runs a store operation. @throws errors as `translateMongoError` translates them. */
export async function storeCall<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw translateMongoError(error);
  }
}
