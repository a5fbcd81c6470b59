import type {
  BatchedSignalEvent,
  BatchedWebhookEvent,
  WebhookPayload,
  WebhookStatePayload,
} from './generated/types.ts';
import { readHeader, type WebhookHeaders } from './webhook-headers.ts';
import { type Bytes, encode, fromBase64, importKey, keysOf, signedContent } from './webhook-signature.ts';

/** The body of a delivery; `event` says which. `webhook.test` is sent on demand, about a made-up signal. */
export type WebhookBody = WebhookPayload | WebhookStatePayload;

/** An event of a delivery, with the id by which it is handled once. */
export type BatchedEvent = BatchedSignalEvent | BatchedWebhookEvent;

/** Why a delivery is not genuine. */
export type VerificationFailure =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'invalid_body';

/** A delivery that is not genuine: answer 400 and ignore it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: VerificationFailure;

  constructor(reason: VerificationFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type VerifyOptions = {
  /** The largest accepted age of a delivery, and lead of its clock, in seconds. Older deliveries may be replays. Default 300. */
  readonly toleranceS?: number;
  /** The present time. */
  readonly now?: () => Date;
};

/**
 * Checks a delivery's signature and age (Standard Webhooks, "Verifying signatures") and returns its parsed body.
 *
 * @param body the unchanged request body. A body that was parsed and serialised again has other bytes and fails.
 * @param secret the subscription's secret, `whsec_` and base64; or several secrets, any of which may have signed.
 * @throws {WebhookVerificationError} naming the reason.
 * @throws {TypeError} when a secret is invalid, or the body is neither text nor bytes.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookBody> {
  const parsed = await verified(body, headers, secret, options);
  if (!Array.isArray(parsed)) return parsed as WebhookBody;
  throw new WebhookVerificationError(
    'invalid_body',
    'The body is genuine, and a batch: use verifyWebhookBatch',
  );
}

/**
 * As {@link verifyWebhook}, for a subscription with `batch`. @returns its events in their order, each with its id; the one event of a
 * delivery that is not a batch.
 */
export async function verifyWebhookBatch(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<BatchedEvent[]> {
  const parsed = await verified(body, headers, secret, options);
  if (Array.isArray(parsed)) return parsed as BatchedEvent[];
  return [{ id: headerOf(headers, 'webhook-id'), ...(parsed as WebhookBody) }];
}

async function verified(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceS = 300, now = () => new Date() }: VerifyOptions,
): Promise<unknown> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('The body must be the text or the bytes as received, not the parsed JSON');
  }
  const keys = keysOf(secret);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  checkAge(timestamp, { toleranceS, nowMs: now().getTime() });

  const content = typeof body === 'string' ? encode(body) : body;
  const signed = signedContent(id, timestamp, content);
  const candidates = signatures.split(' ').flatMap(signatureBytes);
  if (!(await anyMatches(keys, candidates, signed))) {
    throw new WebhookVerificationError('no_matching_signature', 'No signature matches a given secret');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    throw new WebhookVerificationError('invalid_body', 'The body is genuine, but not JSON');
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = readHeader(headers, name);
  if (value) return value;
  throw new WebhookVerificationError('missing_header', `The header ${name} is missing`);
}

function checkAge(timestamp: string, { toleranceS, nowMs }: { toleranceS: number; nowMs: number }): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('invalid_timestamp', 'webhook-timestamp is not in Unix seconds');
  }
  const ageS = Math.floor(nowMs / 1_000) - Number(timestamp);
  if (ageS > toleranceS) {
    throw new WebhookVerificationError(
      'timestamp_too_old',
      `The delivery was sent ${ageS} s ago, not within ${toleranceS} s`,
    );
  }
  if (ageS < -toleranceS) {
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `The delivery was sent ${-ageS} s in the future, not within ${toleranceS} s`,
    );
  }
}

/** `crypto.subtle` compares in constant time. */
async function anyMatches(
  keys: readonly Bytes[],
  signatures: readonly Bytes[],
  signed: Bytes,
): Promise<boolean> {
  for (const bytes of keys) {
    const key = await importKey(bytes, 'verify');
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    }
  }
  return false;
}

/** The signatures of version 1. Other versions are ignored. */
function signatureBytes(text: string): Bytes[] {
  const bytes = text.startsWith('v1,') ? fromBase64(text.slice('v1,'.length)) : undefined;
  return bytes === undefined ? [] : [bytes];
}
