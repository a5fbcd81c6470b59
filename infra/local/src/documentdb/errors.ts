import { BSONError } from 'bson';
import { DatabaseError } from 'pg';

/** An error as MongoDB reports it to its clients. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: number;
  readonly codeName: string;
  /** Further fields of the reply, such as `keyPattern`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: number,
    codeName: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.code = code;
    this.codeName = codeName;
    this.details = details;
  }
}

type Code = readonly [code: number, codeName: string];

const internalError: Code = [1, 'InternalError'];
const unknownError: Code = [8, 'UnknownError'];
export const duplicateKey: Code = [11000, 'DuplicateKey'];
const writeConflict: Code = [112, 'WriteConflict'];
const shutdownInProgress: Code = [91, 'ShutdownInProgress'];

/**
 * SQLSTATE → MongoDB's code. Those that begin with M are DocumentDB's own numbers of MongoDB's codes. This table has the
 * ones that a program may act on; all others mean that the command is wrong, and keep only their message.
 */
const mongoCodes: Readonly<Record<string, Code>> = {
  M0000: internalError,
  M0001: [2, 'BadValue'],
  M0003: [9, 'FailedToParse'],
  M0004: [14, 'TypeMismatch'],
  M0005: [15, 'Overflow'],
  M0006: [20, 'IllegalOperation'],
  M0008: [26, 'NamespaceNotFound'],
  M0009: [27, 'IndexNotFound'],
  M000A: [28, 'PathNotViable'],
  M000D: [40, 'ConflictingUpdateOperators'],
  M000E: [43, 'CursorNotFound'],
  M000F: [48, 'NamespaceExists'],
  M000G: [52, 'DollarPrefixedFieldName'],
  M000J: [56, 'EmptyFieldName'],
  M000K: [57, 'DottedFieldName'],
  M000M: [66, 'ImmutableField'],
  M000N: [67, 'CannotCreateIndex'],
  M000O: [68, 'IndexAlreadyExists'],
  M000P: [72, 'InvalidOptions'],
  M000Q: [73, 'InvalidNamespace'],
  M000R: [85, 'IndexOptionsConflict'],
  M000S: [86, 'IndexKeySpecsConflict'],
  M000T: [111, 'NotExactValueField'],
  M000U: [115, 'CommandNotSupported'],
  M000W: [146, 'ExceededMemoryLimit'],
  M0012: [197, 'InvalidIndexSpecificationOption'],
  M0015: [241, 'ConversionFailure'],
  M0016: [263, 'OperationNotSupportedInTransaction'],
  M0018: [291, 'NoQueryExecutionPlans'],
  M001B: [10334, 'BSONObjectTooLarge'],
  M001C: duplicateKey,
  M007R: [40319, 'Location40319'],
  M007S: [40321, 'Location40321'],
  M007T: [40323, 'Location40323'],
  M007U: [40324, 'Location40324'],
  M0088: [40415, 'Location40415'],
  M00CO: [121, 'DocumentValidationFailure'],
  M00EW: [24, 'LockTimeout'],
  M00EX: [50, 'MaxTimeMSExpired'],
  M00EY: [59, 'CommandNotFound'],
  M00F0: shutdownInProgress,
  M00F1: writeConflict,
  M00F2: [117, 'ConflictingOperationInProgress'],
  '0A000': [115, 'CommandNotSupported'],
  '22023': [2, 'BadValue'],
  '22P02': [9, 'FailedToParse'],
  '23505': duplicateKey,
  '23P01': duplicateKey,
  '40001': writeConflict,
  '40P01': writeConflict,
  '42P01': [26, 'NamespaceNotFound'],
  '42P07': [48, 'NamespaceExists'],
  '53100': [14031, 'OutOfDiskSpace'],
  '53200': [146, 'ExceededMemoryLimit'],
  '53300': shutdownInProgress,
  '55P03': [24, 'LockTimeout'],
  '57014': [50, 'MaxTimeMSExpired'],
  '57P01': shutdownInProgress,
  '57P02': shutdownInProgress,
  '57P03': shutdownInProgress,
};

export function codeOf(sqlState: string): Code {
  return mongoCodes[sqlState] ?? (sqlState.startsWith('M') ? unknownError : internalError);
}

/** Whether a statement lost against another transaction. The whole statement was rolled back, so it may run again. */
export function isConflict(sqlState: string): boolean {
  return sqlState === '40001' || sqlState === '40P01';
}

/** Whether a unique index had the value already. PostgreSQL has two codes for this, and DocumentDB has one. */
export function isDuplicateKey(sqlState: string): boolean {
  return mongoCodes[sqlState] === duplicateKey;
}

/** The SQLSTATE of a failed query; undefined when the connection failed instead. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** The SQLSTATE in the `code` of a write error. DocumentDB packs it into a number, six bits for each character. */
export function unpackSqlState(packed: number): string {
  let state = '';
  for (let shift = 0; shift < 30; shift += 6) state += String.fromCharCode(0x30 + ((packed >> shift) & 0x3f));
  return state;
}

/** Turns any error into a MongoDB error for the client. */
export function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const sqlState = sqlStateOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (sqlState !== undefined) return new CommandError(...codeOf(sqlState), message);
  if (error instanceof BSONError) return new CommandError(22, 'InvalidBSON', message);
  // With this code the driver waits until the server answers again, as for a MongoDB that restarts.
  return new CommandError(...shutdownInProgress, `the database does not answer: ${message}`);
}
