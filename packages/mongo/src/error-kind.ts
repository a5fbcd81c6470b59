import { constants } from 'node:os';
import { isNativeError } from 'node:util/types';
import { Error as MongooseError, mongo } from 'mongoose';
import { type ServerErrorKind, serverErrors } from './server-errors.ts';

/** The driver's own errors for a call that can't be sent because it is wrong. All other errors of the driver are outages. */
const driverFaults = [
  mongo.MongoInvalidArgumentError,
  mongo.MongoParseError,
  mongo.MongoMissingDependencyError,
  mongo.MongoBatchReExecutionError,
  mongo.MongoCursorExhaustedError,
  mongo.MongoCursorInUseError,
  mongo.MongoExpiredSessionError,
  mongo.MongoTailableCursorError,
  mongo.MongoTransactionError,
];

/** Mongoose's errors for a document that does not fit its schema. */
const schemaFaults = [
  MongooseError.ValidationError,
  MongooseError.ValidatorError,
  MongooseError.CastError,
  MongooseError.StrictModeError,
  MongooseError.ObjectExpectedError,
  MongooseError.ObjectParameterError,
];

/** The kind of an error of a call to the store; undefined for an error of another origin. */
export function kindOf(error: unknown): ServerErrorKind | undefined {
  if (error instanceof mongo.MongoBulkWriteError) return kindOfBulk(error);
  // Whatever the code: the primary has the write, but nobody knows whether it lasts.
  if (error instanceof mongo.MongoWriteConcernError) return 'outage';
  // The driver wraps an error with code 20 in an error of its own.
  if (error instanceof mongo.MongoServerError && error.originalError) return kindOf(error.originalError);
  if (error instanceof mongo.MongoServerError) return kindOfCode(error.code, error.message);
  if (error instanceof mongo.BSON.BSONError) return 'fault';
  if (error instanceof mongo.MongoMissingCredentialsError) return 'refused';
  if (error instanceof mongo.MongoError) {
    return driverFaults.some((fault) => error instanceof fault) ? 'fault' : 'outage';
  }
  if (error instanceof MongooseError) {
    return schemaFaults.some((fault) => error instanceof fault) ? 'fault' : 'outage';
  }
  return isConnectionError(error) ? 'outage' : undefined;
}

function kindOfCode(code: unknown, message: string): ServerErrorKind {
  const kind = typeof code === 'number' ? serverErrors.get(code)?.kind : undefined;
  // MongoDB answers BadValue for a `hint` of an index that is missing or still being built.
  if (kind === 'fault' && /\bhint\b/.test(message)) return 'outage';
  return kind ?? 'outage';
}

/** The kind of the bulk's error that a retry may resolve. The kind is `taken` only if all errors are of that kind. */
function kindOfBulk(error: mongo.MongoBulkWriteError): ServerErrorKind {
  // The driver wraps an error that did not come from the server.
  const { errorResponse } = error as { errorResponse?: unknown };
  if (isNativeError(errorResponse)) return kindOf(errorResponse) ?? 'outage';
  if (error.result.getWriteConcernError() !== undefined) return 'outage';
  const refused = [error.writeErrors].flat();
  if (refused.length === 0) return kindOfCode(error.code, error.message);
  const kinds = new Set(refused.map(({ code, errmsg }) => kindOfCode(code, errmsg ?? '')));
  return (['outage', 'refused', 'fault'] as const).find((kind) => kinds.has(kind)) ?? 'taken';
}

/**
 * Whether this is one of Node's errors that the driver passes on unwrapped: a connection that breaks during a write, or an
 * aborted call. A write to a socket that the other side has ended is an EPIPE without a `syscall`.
 */
function isConnectionError(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return false;
  return Object.hasOwn(constants.errno, code) || /^ERR_(STREAM|SOCKET|TLS|SSL)_/.test(code);
}
