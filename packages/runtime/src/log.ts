import { type Logger as PinoLogger, pino } from 'pino';
import { currentRequestId } from './request-context.ts';

/** Structured log, one JSON line an entry, to standard output. */
export type Logger = PinoLogger;

/** Paths that never reach a log, whoever logs them. */
const redactedPaths = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.secret',
  '*["x-sigcast-identity"]',
  'headers["set-cookie"]',
];

/** A logger that names its service and the request being served, and drops secrets. */
export function createLogger(options: { service: string; level?: string }): Logger {
  return pino({
    base: { service: options.service },
    level: options.level ?? 'info',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    mixin: () => {
      const requestId = currentRequestId();
      return requestId === undefined ? {} : { request_id: requestId };
    },
  });
}

/** A logger that says nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
