import { SigcastConnectionError, SigcastError } from '../errors.ts';

/** The exit statuses of `sigcast`; `sigcast --help` lists them. */
export const exits = {
  done: 0,
  /** The API refused, or a receiver did not take an event. */
  failed: 1,
  /** The command line, or a value in it, is wrong. */
  usage: 2,
  /** No key, a key that the API refuses, or a key file that others can read. */
  credentials: 3,
  /** The API gave no answer. */
  unreachable: 4,
  /** Ended by Ctrl-C: 128 + SIGINT, as shells show it. */
  interrupted: 130,
  /** Ended by SIGTERM: 128 + SIGTERM. */
  terminated: 143,
} as const;

/** A failure with a message for the user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exit: number;

  constructor(exit: number, message: string) {
    super(message);
    this.exit = exit;
  }
}

/** The command line is wrong. */
export function wrongUsage(message: string): CliError {
  return new CliError(exits.usage, message);
}

/** The message of a failure and its exit status. */
export type Failure = { readonly message: string; readonly exit: number };

/** The failure to show for an error. @param nameOf returns the option for a field that the API refused. */
export function failureOf(error: unknown, nameOf: (field: string) => string = (field) => field): Failure {
  if (error instanceof CliError) return { message: error.message, exit: error.exit };
  if (error instanceof SigcastConnectionError) return { message: error.message, exit: exits.unreachable };
  if (error instanceof SigcastError) return refusal(error, nameOf);
  // A bug in this program: the stack helps to fix it.
  return { message: error instanceof Error ? String(error.stack) : String(error), exit: exits.failed };
}

function refusal(error: SigcastError, nameOf: (field: string) => string): Failure {
  const { code, message, details, requestId, retryAfterS } = error;
  if (code === 'UNEXPECTED_ANSWER') {
    return { message: `${message}. Is this the address of the API?`, exit: exits.failed };
  }
  const wrong = details.map(({ field, message: what }) => `\n  ${nameOf(field)} ${what}`);
  const later = retryAfterS === undefined ? '' : `\n  Possible again in ${retryAfterS} s`;
  const request = requestId === undefined ? '' : `\n  Request ${requestId}`;
  if (code === 'UNAUTHORIZED' || code === 'KEY_EXPIRED') {
    const advice = '\n  Store a key with "sigcast login", or set SIGCAST_API_KEY';
    return { message: `${message} (${code})${advice}${request}`, exit: exits.credentials };
  }
  const exit = code === 'INVALID_REQUEST' ? exits.usage : exits.failed;
  // The message says the same as the details, by the API's names.
  const what = wrong.length > 0 ? 'The API refused the values that were given' : message;
  return { message: `${what} (${code})${wrong.join('')}${later}${request}`, exit };
}
