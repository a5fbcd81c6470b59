import http from 'node:http';
import https from 'node:https';
import { signWebhook } from '../sign-webhook.ts';

/** How long a receiver may take to the end of its answer's head, as for the API's own deliveries. */
const answerTimeoutMs = 5_000;

/** How long the body of an answer may take. */
const bodyTimeoutMs = 1_000;

/** The longest `Retry-After` that is obeyed. */
const maxRetryAfterMs = 3_600_000;

/** One attempt to post an event to a receiver. */
export type Attempt = {
  /** From 1. */
  readonly number: number;
  /** The status of the answer; null without an answer. Only 200 counts as received. */
  readonly status: number | null;
  /** Why there is no answer; null with an answer. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The receiver's `Retry-After`; 0 without one. */
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

/** Posts without `fetch`, which refuses some ports and adds headers. Each request has a new connection. */
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
      // The head decides the outcome. The body is read and ignored.
      const cut = setTimeout(() => response.destroy(), bodyTimeoutMs);
      response.on('error', () => undefined).once('close', () => clearTimeout(cut));
      response.resume();
    });
    request.on('error', reject);
    request.once('close', () => {
      clearTimeout(timer);
      // For an unrequested upgrade Node only closes the connection. After an answer this does nothing.
      reject(new Error('the connection was closed'));
    });
    request.end(body);
  });
}

/** Why there was no answer. When Node tried several addresses, the error has a code and no message. */
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
