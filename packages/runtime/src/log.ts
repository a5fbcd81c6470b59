import { types } from 'node:util';
import { type Logger as PinoLogger, pino } from 'pino';
import { currentRequestId, currentTrace } from './request-context.ts';

/** A structured log with one JSON line for each entry. */
export type Logger = PinoLogger;

/** Fields whose values are always redacted. */
const secretFields = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'x-sigcast-identity',
]);

const redacted = '[redacted]';
const redacting = Object.fromEntries([...secretFields].map((name) => [name, () => redacted]));

/** So deep an entry is searched for secret fields and errors: as deep as `req.headers.authorization`. */
const searchedDepth = 2;

/**
 * The fields of an error that are logged besides type, message and stack. An allow list, because drivers add fields with
 * secrets to their errors: ioredis adds the command with its arguments, and so the password of a login.
 */
const errorFields = [
  'code',
  'codeName',
  'syscall',
  'address',
  'hostname',
  'port',
  'status',
  'statusCode',
  'signal',
];

/** `user:password@` in an address: from "//" and a user without "/" to the last "@" of the same word. */
const credentials = /:\/\/([^\s"\\/:@]*):(?:[^\s"\\]|\\.)*@/g;

/** API keys, webhook secrets and tokens (RFC 7519), which clients put into paths by mistake. Recognised by their form. */
const recognisable = /\b(sk_|whsec_|eyJ)(?:[\w-]+[_.][\w.-]{16,}|[\w+/-]{24,}=*)/g;

/** A logger that adds service, request id and trace id to each line, and redacts secrets. */
export function createLogger(options: {
  readonly service: string;
  readonly level?: string;
  /** Where the lines go; standard output unless given. */
  readonly destination?: { write(line: string): void };
}): Logger {
  return pino(
    {
      base: { service: options.service },
      level: options.level ?? 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: loggable },
      // For the fields of child loggers, too, which pino does not pass to `formatters`.
      serializers: { ...redacting, err: plainError },
      hooks: { streamWrite: withoutSecrets },
      mixin: () => {
        const requestId = currentRequestId();
        if (requestId === undefined) return {};
        const trace = currentTrace();
        return trace === undefined
          ? { request_id: requestId }
          : { request_id: requestId, trace_id: trace.traceId };
      },
    },
    options.destination ?? pino.destination(1),
  );
}

/** The fields as they are logged: secret ones are redacted, and errors are replaced by their allowed fields. */
function loggable(fields: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretFields.has(name) ? redacted : loggableValue(value, depth),
    ]),
  );
}

function loggableValue(value: unknown, depth: number): unknown {
  if (types.isNativeError(value)) return plainError(value);
  if (typeof value !== 'object' || value === null || depth >= searchedDepth) return value;
  if (Array.isArray(value)) return value.map((each) => loggableValue(each, depth + 1));
  // Dates and the like have no fields to be logged.
  return 'toJSON' in value ? value : loggable(value, depth + 1);
}

function plainError(value: unknown): unknown {
  if (!types.isNativeError(value)) return value;
  const { type, message, stack } = pino.stdSerializers.err(value);
  const own = value as Error & Record<string, unknown>;
  const fields = errorFields.filter((name) => ['string', 'number'].includes(typeof own[name]));
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(fields.map((name) => [name, own[name]])),
    ...(value instanceof AggregateError && { errors: value.errors.map(plainError) }),
  };
}

/** Redacts passwords in addresses, and other texts with the form of a secret. */
function withoutSecrets(line: string): string {
  return line.replace(credentials, '://$1:***@').replace(recognisable, '$1***');
}

/** A logger without output, for tests. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
