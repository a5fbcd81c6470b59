import http from 'node:http';
import https from 'node:https';
import { signWebhook } from '../sign-webhook.ts';

/** A receiver has this long until its status line, as for the API's own deliveries. */
const answerTimeoutMs = 5_000;

/** What is left of an answer may take this long after its status line. */
const bodyTimeoutMs = 1_000;

/** A receiver is not believed for longer than this. */
const maxRetryAfterMs = 3_600_000;

/** One try at handing an event to a receiver. */
export type Attempt = {
  /** From 1. */
  readonly number: number;
  /** What the receiver answered; null where it did not. Only 200 counts as received. */
  readonly status: number | null;
  /** Why it did not answer. */
  readonly error: string | null;
  readonly durationMs: number;
  /** For how long the receiver asks not to be tried again; 0 where it does not. */
  readonly retryAfterMs: number;
};

/** An event on its way to a receiver. */
export type Message = { readonly id: string; readonly body: string };

/** Posts an event as the API's own deliveries do: the same headers, signed for the time of this attempt. */
export async function postEvent(
  { id, body }: Message,
  options: {
    readonly url: URL;
    readonly secret: string;
    readonly number: number;
    readonly signal: AbortSignal;
  },
): Promise<Attempt> {
  const { url, secret, number, signal } = options;
  const headers = {
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Sigcast-Webhooks/1.0 (sigcast webhooks listen)',
    ...(await signWebhook(body, { id }, secret)),
    'webhook-attempt': String(number),
  };
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const { status, retryAfter } = await post(url, { headers, body, signal });
    const waitMs = retryAfterMs(retryAfter);
    return { number, status, error: null, durationMs: durationMs(), retryAfterMs: waitMs };
  } catch (error) {
    const reason = reasonOf(error as NodeJS.ErrnoException);
    return { number, status: null, error: reason, durationMs: durationMs(), retryAfterMs: 0 };
  }
}

type Answer = { readonly status: number; readonly retryAfter: string | undefined };

/** Not by `fetch`: that refuses some ports, and adds headers of its own. Each request has a connection of its own. */
function post(
  url: URL,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const request = open(url, { method: 'POST', agent: false, headers, signal });
    const late = () => request.destroy(new Error(`no answer within ${answerTimeoutMs / 1_000} s`));
    const timer = setTimeout(late, answerTimeoutMs);
    request.once('response', (response) => {
      clearTimeout(timer);
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      // The status line is what counts; the receiver may still write the rest in peace.
      const cut = setTimeout(() => response.destroy(), bodyTimeoutMs);
      response.on('error', () => undefined).once('close', () => clearTimeout(cut));
      response.resume();
    });
    request.on('error', reject);
    request.once('close', () => {
      clearTimeout(timer);
      // Node says nothing else of an upgrade that nobody asked for. After an answer this does nothing.
      reject(new Error('the connection was closed'));
    });
    request.end(body);
  });
}

/** Of several addresses that were tried, Node tells nothing but the code. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'connection refused';
  return message || code || 'no connection';
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterMs(header: string | undefined): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}
