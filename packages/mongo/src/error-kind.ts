import { constants } from 'node:os';
import { isNativeError } from 'node:util/types';
import { Error as MongooseError, mongo } from 'mongoose';
import { type ServerErrorKind, serverErrors } from './server-errors.ts';

/**
 * What the driver says without a server having said it, and that is our fault: an argument that can't be sent. All
 * others of the driver's own errors are outages.
 */
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

/** What mongoose says before anything is sent: the document does not fit its schema. */
const schemaFaults = [
  MongooseError.ValidationError,
  MongooseError.ValidatorError,
  MongooseError.CastError,
  MongooseError.StrictModeError,
  MongooseError.ObjectExpectedError,
  MongooseError.ObjectParameterError,
];

/** What an error of a call to the store means; undefined when it is not the store's, nor the driver's. */
export function kindOf(error: unknown): ServerErrorKind | undefined {
  if (error instanceof mongo.MongoBulkWriteError) return kindOfBulk(error);
  // Whatever its code: the write took place here, and is not known to last.
  if (error instanceof mongo.MongoWriteConcernError) return 'outage';
  // The driver puts words of its own in the place of an error with code 20.
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
  // An index that a query names is not there yet, or being built: MongoDB says BadValue.
  if (kind === 'fault' && /\bhint\b/.test(message)) return 'outage';
  return kind ?? 'outage';
}

/**
 * Of several things that went wrong in a bulk, the one that a retry may mend. Values that are taken are an answer only
 * where nothing else went wrong.
 */
function kindOfBulk(error: mongo.MongoBulkWriteError): ServerErrorKind {
  // What is not of the server comes wrapped, and keeps its class there only.
  const { errorResponse } = error as { errorResponse?: unknown };
  if (isNativeError(errorResponse)) return kindOf(errorResponse) ?? 'outage';
  if (error.result.getWriteConcernError() !== undefined) return 'outage';
  const refused = [error.writeErrors].flat();
  if (refused.length === 0) return kindOfCode(error.code, error.message);
  const kinds = new Set(refused.map(({ code, errmsg }) => kindOfCode(code, errmsg ?? '')));
  return (['outage', 'refused', 'fault'] as const).find((kind) => kinds.has(kind)) ?? 'taken';
}

/**
 * What the driver lets through as Node made it: a connection that breaks under a write, or a call that is given up. A
 * write to a socket that the other side has ended is an EPIPE without a `syscall`.
 */
function isConnectionError(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return false;
  return Object.hasOwn(constants.errno, code) || /^ERR_(STREAM|SOCKET|TLS|SSL)_/.test(code);
}
