import type { KeyObject } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { HttpHeader } from '@sigcast/contracts';
import { retryAfterMs } from '@sigcast/http';
import { WrongSeal } from '@sigcast/runtime';
import type { AttemptResult, ClaimedDelivery, SendResult } from '../domain/attempt-ports.ts';
import { batchBody } from '../domain/event-body.ts';
import { signAll, signingKey } from '../domain/signature.ts';
import type { SecretSealer } from '../domain/signing-secrets.ts';
import type { AddressPolicy } from './address-policy.ts';
import { cached } from './cached.ts';
import { type ChatSettings, chatRequest } from './chats/chat-request.ts';
import { type ConnectionLimits, connections, defaultLimits, RefusedAddress } from './connections.ts';
import { failureText } from './failure-text.ts';
import { nameLookup } from './name-lookup.ts';
import { type Answer, NoAnswerInTime, post, StaleConnection } from './post.ts';
import { jsonHeaders, type Request } from './request.ts';
import { Stopwatch } from './stopwatch.ts';

/** How long a receiver may take until the end of its answer's head, name resolution included, in milliseconds. */
export const answerTimeoutMs = 5_000;

/** The status by which a receiver asks for no more requests (410 Gone: RFC 9110, 15.5.11). */
const goneStatus = 410;

export type SenderOptions = {
  readonly policy: AddressPolicy;
  readonly now: () => number;
  readonly secrets: Pick<SecretSealer, 'open'>;
  readonly chats?: ChatSettings;
  /** Name servers as `address:port`; the system's name servers unless given. */
  readonly nameServers?: readonly string[];
  /** Replaces the lookup by name servers. */
  readonly lookup?: LookupFunction;
  readonly timeoutMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
};

/** Makes attempts. */
export type Sender = {
  /**
   * A failure of the attempt is an outcome.
   * @throws {WrongSeal} when no key of this worker opens one of the secrets. Nothing is sent: a receiver that has the newest secret
   * would refuse what only the others sign.
   */
  send(claimed: ClaimedDelivery): Promise<SendResult>;
  close(): Promise<void>;
};

/** The URL of an address, or what is wrong with the address. */
type Target =
  | { readonly url: URL; readonly refused?: undefined }
  | { readonly url?: undefined; readonly refused: string };

/**
 * Makes a sender with its own connections. It ignores proxies of the environment, follows no redirect, and checks the IP
 * address of each connection when it is made, so that a name cannot change its address after the check.
 */
export function sender(options: SenderOptions): Sender {
  const { policy, now, timeoutMs = answerTimeoutMs } = options;
  const names = nameLookup({ servers: options.nameServers });
  const pool = connections({
    policy,
    resolve: options.lookup ?? names.lookup,
    limits: { ...defaultLimits, ...options.limits },
  });
  const underWay = new Set<ClientRequest>();
  const keyOf = cached((sealed, of) => signingKey(options.secrets.open(sealed, of)));
  const addressOf = cached((sealed, of) => options.secrets.open(sealed, of));
  const targetOf = cached((text): Target => {
    const refused = policy.checkUrl(text);
    if (refused) return { refused };
    const url = URL.parse(text);
    return url ? { url } : { refused: 'is no URL' };
  });

  const webhookRequest = (claimed: ClaimedDelivery, url: URL): Request => {
    const keys = claimed.secrets.map((secret) => keyOf(secret, claimed.delivery.subscription));
    const { batch } = claimed;
    const message = {
      id: batch?.id ?? claimed.delivery.eventId,
      timestampS: Math.floor(now() / 1_000),
      body: batch ? batchBody(batch.events) : claimed.body,
    };
    const headers = headersFor(message, { keys, attempt: claimed.delivery.attemptCount + 1 });
    return { url, headers, body: message.body, read: (answer) => resultOf(answer, now()) };
  };

  const requestOf = (claimed: ClaimedDelivery): Request | { readonly refused: string } => {
    if (claimed.chat === null) {
      const { url, refused } = targetOf(claimed.url);
      return url ? webhookRequest(claimed, url) : { refused };
    }
    const address = addressOf(claimed.secrets[0] ?? '', claimed.delivery.subscription);
    return chatRequest(claimed.chat, {
      address,
      bodies: claimed.batch?.events.map(({ body }) => body) ?? [claimed.body],
      now,
      settings: options.chats ?? {},
    });
  };

  const attempt = async (
    claimed: ClaimedDelivery,
    { url, headers, body, read }: Request,
  ): Promise<SendResult> => {
    const request = { url: claimed.url, headers: sentHeaders(url, headers) };
    const startedAt = performance.now();
    let stopwatch = new Stopwatch();
    const postBy = (use: 'kept' | 'fresh', leftMs: number) =>
      post(url, {
        agent: pool.agentFor(url, use),
        headers,
        body,
        timeoutMs: leftMs,
        stopwatch,
        underWay,
      });
    try {
      // A retry uses a new connection, so it follows changes of DNS records and is exactly one request.
      const use = claimed.delivery.attemptCount === 0 ? 'kept' : 'fresh';
      const answer = await postBy(use, timeoutMs).catch((error: unknown) => {
        if (!(error instanceof StaleConnection)) throw error;
        // The receiver may have read the request before it closed the connection. A program knows the repetition by `webhook-id`.
        stopwatch = new Stopwatch();
        return postBy('fresh', timeoutMs - (performance.now() - startedAt));
      });
      return { ...read(answer), ...stopwatch.report(), request };
    } catch (error) {
      const result = explain(error, timeoutMs);
      // Nothing was sent to a refused address.
      return { ...result, ...stopwatch.report(), ...(result.outcome !== 'refused_address' && { request }) };
    }
  };

  return {
    send: async (claimed) => {
      try {
        const request = requestOf(claimed);
        if ('refused' in request) return failed('refused_address', `The address ${request.refused}`);
        return await attempt(claimed, request);
      } catch (error) {
        if (error instanceof WrongSeal) throw error;
        return failed('connection', failureText(error));
      }
    },
    close: async () => {
      names.close();
      for (const request of underWay) request.destroy(new Error('the sender was closed'));
      pool.close();
    },
  };
}

/** The headers of Standard Webhooks. `webhook-id` is the id of the event or of the batch, the same at each attempt. */
function headersFor(
  message: { readonly id: string; readonly timestampS: number; readonly body: string },
  { keys, attempt }: { readonly keys: readonly KeyObject[]; readonly attempt: number },
): Record<string, string> {
  const { id, timestampS, body } = message;
  return {
    ...jsonHeaders(body),
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signAll(keys, message),
    'webhook-attempt': String(attempt),
  };
}

/** The headers as the log keeps them, with `host`, which `node:http` adds. */
function sentHeaders(url: URL, headers: Readonly<Record<string, string>>): HttpHeader[] {
  return Object.entries({ host: url.host, ...headers }).map(([name, value]) => ({ name, value }));
}

function resultOf({ status, retryAfter, headers, body }: Answer, nowMs: number): SendResult {
  const answered = { http_status: status, response_body: body, response_headers: headers };
  if (status === 200) return { outcome: 'succeeded', error: null, ...answered };
  const waitMs = retryAfterMs(retryAfter, nowMs);
  return {
    outcome: 'bad_status',
    error: `Answered ${status}; only 200 counts as received`,
    ...answered,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    gone: status === goneStatus,
  };
}

function explain(error: unknown, timeoutMs: number): AttemptResult {
  if (error instanceof RefusedAddress) return failed('refused_address', error.message);
  if (error instanceof NoAnswerInTime) return failed('timeout', `No answer within ${timeoutMs} ms`);
  return failed('connection', failureText(error));
}

function failed(outcome: AttemptResult['outcome'], error: string): AttemptResult {
  return {
    outcome,
    http_status: null,
    error: error.slice(0, 500),
    response_body: null,
    response_headers: null,
  };
}
