import { types } from 'node:util';
import { type Bindings, type Logger as PinoLogger, pino } from 'pino';
import { currentRequestId, currentTrace } from './request-context.ts';

/** A structured log with one JSON line for each entry. */
export type Logger = Omit<PinoLogger, 'child' | 'setBindings'> & { child(bindings: object): Logger };

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

/** How deep an entry is searched for secret fields and errors: to the fields of `req.headers`. */
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
  const log = pino(
    {
      base: { service: options.service },
      level: options.level ?? 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: plainError },
      hooks: {
        // An error alone is made plain by the serializer, as `err`.
        logMethod(args, method) {
          const shown = args.map((each) => (types.isNativeError(each) ? each : loggable(each)));
          method.apply(this, shown as typeof args);
        },
        streamWrite: withoutSecrets,
      },
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
  return withLoggableBindings(log);
}

/** pino passes the fields of a child logger to no hook. */
function withLoggableBindings(log: PinoLogger): Logger {
  return Object.assign(Object.create(log) as PinoLogger, {
    child: (bindings: object) => withLoggableBindings(log.child(loggable(bindings) as Bindings)),
  });
}

/** The value as it is logged: secret fields are redacted, and errors are replaced by their allowed fields. */
function loggable(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (types.isNativeError(value)) return plainError(value);
  const json = asJson(value);
  if (typeof json !== 'object' || json === null || depth > searchedDepth) return json;
  if (Array.isArray(json)) return Array.from(json, (each) => loggable(each, depth + 1));
  return Object.fromEntries(
    Object.entries(json).map(([name, each]) => [
      name,
      secretFields.has(name) && each !== undefined ? '[redacted]' : loggable(each, depth + 1),
    ]),
  );
}

/** What JSON shows of an object with `toJSON`, such as a date. */
function asJson(value: object): unknown {
  try {
    const { toJSON } = value as { readonly toJSON?: unknown };
    return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
  } catch {
    return '[unable to serialize]';
  }
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

/** A line without passwords in addresses and other texts with the form of a secret. */
export function withoutSecrets(line: string): string {
  return line.replace(credentials, '://$1:***@').replace(recognisable, '$1***');
}

/** A logger without output, for tests. */
export function silentLogger(): Logger {
  return withLoggableBindings(pino({ level: 'silent' }));
}
