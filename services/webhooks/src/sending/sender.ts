import type { KeyObject } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { HttpHeader } from '@sigcast/contracts';
import type { AttemptResult, Claimed } from '../domain/attempting.ts';
import { signAll, signingKey } from '../domain/signature.ts';
import type { AddressPolicy } from './address-policy.ts';
import { cached } from './cached.ts';
import { type ConnectionLimits, connections, defaultLimits, RefusedAddress } from './connections.ts';
import { failureText } from './failure-text.ts';
import { nameLookup } from './name-lookup.ts';
import { type Answer, NoAnswerInTime, post, StaleConnection } from './post.ts';
import { retryAfterMs } from './retry-after.ts';
import { Stopwatch } from './stopwatch.ts';

/** The receiver has this long, from the first byte of name resolution to its status line, in milliseconds. */
export const answerTimeoutMs = 5_000;

const userAgent = 'Sigcast-Webhooks/1.0';

export type SenderOptions = {
  readonly policy: AddressPolicy;
  readonly now: () => number;
  /** Name servers as `address:port`; the system's own unless given. */
  readonly nameServers?: readonly string[];
  /** Resolves names in place of name servers. */
  readonly lookup?: LookupFunction;
  readonly timeoutMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
};

/** What an attempt came to, and beside it what is no part of its log. */
export type SendResult = AttemptResult & {
  /** For how long the receiver asks not to be tried again (`Retry-After`), at most an hour; absent where it does not. */
  readonly retryAfterMs?: number;
};

/** Makes one attempt. Never rejects: every failure is an outcome. */
export type Sender = { send(claimed: Claimed): Promise<SendResult>; close(): Promise<void> };

/** Where an address as written leads to, or what is wrong with it. */
type Target = { readonly url: URL; readonly refused?: undefined } | { readonly refused: string };

/**
 * A sender with connections of its own: proxies from the environment don't count, redirects are not followed, and
 * every address is checked where the connection is made, so that a name can't change its meaning in between.
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
  const keyOf = cached(signingKey);
  const targetOf = cached((text): Target => {
    const refused = policy.checkUrl(text);
    if (refused) return { refused };
    const url = URL.parse(text);
    return url ? { url } : { refused: 'is no URL' };
  });

  const attempt = async (claimed: Claimed, url: URL): Promise<SendResult> => {
    const keys = claimed.secrets.map(keyOf);
    const headers = headersFor(claimed, { keys, timestampS: Math.floor(now() / 1_000) });
    const request = { url: claimed.url, headers: sentHeaders(url, headers) };
    const startedAt = performance.now();
    let way = new Stopwatch();
    const postBy = (use: 'kept' | 'fresh', leftMs: number) =>
      post(url, {
        agent: pool.agentFor(url, use),
        headers,
        body: claimed.body,
        timeoutMs: leftMs,
        way,
        underWay,
      });
    try {
      // A retry trusts no connection from before: so it follows a name that moved, and is one request whatever happens.
      const use = claimed.delivery.attemptCount === 0 ? 'kept' : 'fresh';
      const answer = await postBy(use, timeoutMs).catch((error: unknown) => {
        if (!(error instanceof StaleConnection)) throw error;
        // The receiver closed the connection as we wrote to it. It may have the request, and knows it by `webhook-id`.
        way = new Stopwatch();
        return postBy('fresh', timeoutMs - (performance.now() - startedAt));
      });
      return { ...resultOf(answer, now()), ...way.report(), request };
    } catch (error) {
      const result = explain(error, timeoutMs);
      // Nothing is sent to an address that is refused.
      return { ...result, ...way.report(), ...(result.outcome !== 'refused_address' && { request }) };
    }
  };

  return {
    send: async (claimed) => {
      const target = targetOf(claimed.url);
      if (target.refused === undefined) return attempt(claimed, target.url);
      return failed('refused_address', `The address ${target.refused}`);
    },
    close: async () => {
      names.close();
      for (const request of underWay) request.destroy(new Error('the sender was closed'));
      pool.close();
    },
  };
}

/** Standard Webhooks' headers; `webhook-id` is the event's identity and the same at every attempt. */
function headersFor(
  { delivery, body }: Claimed,
  { keys, timestampS }: { readonly keys: readonly KeyObject[]; readonly timestampS: number },
): Record<string, string> {
  const id = delivery.eventId;
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signAll(keys, { id, timestampS, body }),
    'webhook-attempt': String(delivery.attemptCount + 1),
  };
}

/** As the log keeps them, with the one that `node:http` adds. */
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
  };
}

function explain(error: unknown, timeoutMs: number): AttemptResult {
  if (error instanceof RefusedAddress) return failed('refused_address', error.message);
  if (error instanceof NoAnswerInTime) return failed('timeout', `No answer within ${timeoutMs} ms`);
  return failed('connection', failureText(error));
}

function failed(outcome: AttemptResult['outcome'], error: string): AttemptResult {
  return {
    ...{ outcome, http_status: null, error: error.slice(0, 500) },
    ...{ response_body: null, response_headers: null },
  };
}
