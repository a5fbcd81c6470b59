/**
 * The kind of an error of MongoDB's server.
 *
 * - `outage`: the command failed, or nobody knows whether it was done; a retry may succeed.
 * - `refused`: the store refuses access; a retry succeeds after an operator has acted.
 * - `taken`: a unique index has the value already; an answer, not a failure.
 * - `fault`: the command is wrong; no retry can succeed.
 *
 * Unknown and doubtful codes are outages, because a needless retry costs less than a lost message.
 */
export type ServerErrorKind = 'outage' | 'refused' | 'taken' | 'fault';

type Row = readonly [code: number, name: string, kind: ServerErrorKind, why: string];

const notPrimary = 'SDAM and retryable writes: not primary, or a node that is recovering';
const network = 'retryable reads and writes: network between servers';
const writeConcern = 'category WriteConcernError: written, and not known to be at a majority';
const wrong = 'the command or the document is wrong';

/**
 * Names and categories are those of MongoDB's `src/mongo/base/error_codes.yml`. The specifications "Retryable Reads",
 * "Retryable Writes" and "Server Discovery and Monitoring" (mongodb/specifications) say which codes drivers retry.
 */
const rows: readonly Row[] = [
  [1, 'InternalError', 'outage', 'a fault of the server'],
  [2, 'BadValue', 'fault', wrong],
  [6, 'HostUnreachable', 'outage', network],
  [7, 'HostNotFound', 'outage', network],
  [8, 'UnknownError', 'outage', 'nobody knows'],
  [9, 'FailedToParse', 'fault', wrong],
  [11, 'UserNotFound', 'refused', 'authentication'],
  [13, 'Unauthorized', 'refused', 'the user lacks the right'],
  [14, 'TypeMismatch', 'fault', wrong],
  [15, 'Overflow', 'fault', 'category ValidationError'],
  [16, 'InvalidLength', 'fault', wrong],
  [18, 'AuthenticationFailed', 'refused', 'authentication'],
  [20, 'IllegalOperation', 'fault', wrong],
  [22, 'InvalidBSON', 'fault', 'category ValidationError'],
  [24, 'LockTimeout', 'outage', 'category Interruption'],
  [28, 'PathNotViable', 'fault', wrong],
  [40, 'ConflictingUpdateOperators', 'fault', wrong],
  [43, 'CursorNotFound', 'outage', 'category CursorInvalidatedError: the server that had it is gone'],
  [50, 'MaxTimeMSExpired', 'outage', 'categories Interruption, ExceededTimeLimitError'],
  [52, 'DollarPrefixedFieldName', 'fault', wrong],
  [53, 'InvalidIdField', 'fault', wrong],
  [56, 'EmptyFieldName', 'fault', wrong],
  [57, 'DottedFieldName', 'fault', wrong],
  [59, 'CommandNotFound', 'fault', wrong],
  [64, 'WriteConcernTimeout', 'outage', `${writeConcern}; WriteConcernFailed before 8.1`],
  [66, 'ImmutableField', 'fault', wrong],
  [67, 'CannotCreateIndex', 'fault', wrong],
  [72, 'InvalidOptions', 'fault', wrong],
  [73, 'InvalidNamespace', 'fault', wrong],
  [79, 'UnknownReplWriteConcern', 'outage', writeConcern],
  [85, 'IndexOptionsConflict', 'fault', 'an index of this name or these keys is defined otherwise'],
  [86, 'IndexKeySpecsConflict', 'fault', 'an index of this name has other keys'],
  [89, 'NetworkTimeout', 'outage', network],
  [91, 'ShutdownInProgress', 'outage', notPrimary],
  [100, 'UnsatisfiableWriteConcern', 'outage', writeConcern],
  [112, 'WriteConflict', 'outage', 'lost against another write, nothing was written'],
  [115, 'CommandNotSupported', 'fault', wrong],
  [117, 'ConflictingOperationInProgress', 'outage', 'something else has to end first'],
  [121, 'DocumentValidationFailure', 'fault', wrong],
  [133, 'FailedToSatisfyReadPreference', 'outage', 'no server of the wanted kind'],
  [134, 'ReadConcernMajorityNotAvailableYet', 'outage', 'retryable reads; category RetriableError'],
  [168, 'InvalidPipelineOperator', 'fault', wrong],
  [171, 'CannotIndexParallelArrays', 'fault', wrong],
  [175, 'QueryPlanKilled', 'outage', 'category CursorInvalidatedError'],
  [189, 'PrimarySteppedDown', 'outage', notPrimary],
  [197, 'InvalidIndexSpecificationOption', 'fault', wrong],
  [
    202,
    'NetworkInterfaceExceededTimeLimit',
    'outage',
    'categories ExceededTimeLimitError, NetworkTimeoutError',
  ],
  [216, 'ElectionInProgress', 'outage', notPrimary],
  [237, 'CursorKilled', 'outage', 'categories Interruption, CursorInvalidatedError'],
  [241, 'ConversionFailure', 'fault', wrong],
  [262, 'ExceededTimeLimit', 'outage', 'retryable reads and writes; category RetriableError'],
  [276, 'IndexBuildAborted', 'outage', 'an index build that another one may repeat'],
  [285, 'IndexBuildAlreadyInProgress', 'outage', 'another replica is building it'],
  [317, 'ConnectionPoolExpired', 'outage', 'category RetriableError'],
  [322, 'APIVersionError', 'fault', 'category VersionedAPIError'],
  [323, 'APIStrictError', 'fault', 'category VersionedAPIError'],
  [324, 'APIDeprecationError', 'fault', 'category VersionedAPIError'],
  [334, 'MechanismUnavailable', 'refused', 'authentication'],
  [365, 'TemporarilyUnavailable', 'outage', 'the storage engine is under pressure'],
  [371, 'UserWritesBlocked', 'outage', 'an operator has blocked writes for now'],
  [391, 'ReauthenticationRequired', 'refused', 'authentication'],
  [402, 'ResourceExhausted', 'outage', 'category RetriableError'],
  [433, 'AdmissionQueueOverflow', 'outage', 'category SystemOverloadedError'],
  [449, 'RateLimitExceeded', 'outage', 'category SystemOverloadedError'],
  [462, 'IngressRequestRateLimitExceeded', 'outage', 'categories SystemOverloadedError, RetriableError'],
  [8000, 'AtlasError', 'refused', "MongoDB Atlas' code for a user that is unknown or lacks the right"],
  [9001, 'SocketException', 'outage', network],
  [10058, 'LegacyNotPrimary', 'outage', notPrimary],
  [10107, 'NotWritablePrimary', 'outage', notPrimary],
  [10334, 'BSONObjectTooLarge', 'fault', wrong],
  [11000, 'DuplicateKey', 'taken', 'a unique index has the value'],
  [11600, 'InterruptedAtShutdown', 'outage', notPrimary],
  [11601, 'Interrupted', 'outage', 'category Interruption'],
  [11602, 'InterruptedDueToReplStateChange', 'outage', notPrimary],
  [13388, 'StaleConfig', 'outage', 'category StaleShardVersionError: a chunk has just moved'],
  [13435, 'NotPrimaryNoSecondaryOk', 'outage', notPrimary],
  [13436, 'NotPrimaryOrSecondary', 'outage', notPrimary],
  [14031, 'OutOfDiskSpace', 'outage', 'until there is room again'],
  [40415, 'IDLUnknownField', 'fault', 'category IDLParseError'],
  [91331, 'RetriableRemoteCommandFailure', 'outage', 'categories Interruption, RetriableError'],
];

/** The known server error codes, each with its name, its kind and the reason for that kind. */
export const serverErrors: ReadonlyMap<
  number,
  { readonly name: string; readonly kind: ServerErrorKind; readonly why: string }
> = new Map(rows.map(([code, name, kind, why]) => [code, { name, kind, why }]));
