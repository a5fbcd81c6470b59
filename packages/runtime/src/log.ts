import { type Logger as PinoLogger, pino } from 'pino';
import { currentRequestId } from './request-context.ts';

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

/** A logger that names its service and the request being served, and drops secrets. */
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
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[redacted]' },
      mixin: () => {
        const requestId = currentRequestId();
        return requestId === undefined ? {} : { request_id: requestId };
      },
    },
    options.destination ?? pino.destination(1),
  );
}

/** A logger that says nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
