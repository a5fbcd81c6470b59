import { types } from 'node:util';
import { type Logger as PinoLogger, pino } from 'pino';
import { currentRequestId, currentTrace } from './request-context.ts';

/** A structured log with one JSON line for each entry. */
export type Logger = PinoLogger;

/** Fields whose values are always redacted. */
const secretFields = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'x-sigcast-identity',
];

/** The secret fields of an entry, down to the depth of `req.headers.authorization`. */
const redactedPaths = secretFields.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);

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
      formatters: { level: (label) => ({ level: label }), log: withPlainErrors },
      serializers: { err: plainError },
      hooks: { streamWrite: withoutSecrets },
      redact: { paths: redactedPaths, censor: '[redacted]' },
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

/** Replaces errors in any field by their allowed fields. */
function withPlainErrors(entry: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(entry).some(types.isNativeError)) return entry;
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, plainError(value)]));
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
