import { types } from 'node:util';
import { type Logger as PinoLogger, pino } from 'pino';
import { currentRequestId, currentTrace } from './request-context.ts';

/** Structured log, one JSON line an entry, to standard output. */
export type Logger = PinoLogger;

/** Fields that never reach a log, whoever logs them. */
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

/** In the entry itself and as deep as `req.headers.authorization`. */
const redactedPaths = secretFields.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);

/**
 * What is logged of an error besides its type, words and stack. A list of what is let through, because drivers hang
 * all kinds of things on their errors: ioredis the command with its arguments, and so the password it signed in with.
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

/** API keys, webhook secrets and tokens (RFC 7519), which clients put into paths by mistake. They are known by their looks. */
const recognisable = /\b(sk_|whsec_|eyJ)(?:[\w-]+[_.][\w.-]{16,}|[\w+/-]{24,}=*)/g;

/** A logger that names its service, the request being served and its trace, and drops secrets. */
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

/** Errors under any name. */
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

/** Whatever logs an address, its password is not in the line; nor is anything else that is known for a secret. */
function withoutSecrets(line: string): string {
  return line.replace(credentials, '://$1:***@').replace(recognisable, '$1***');
}

/** A logger that says nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
