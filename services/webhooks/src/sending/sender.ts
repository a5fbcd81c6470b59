import type { LookupFunction } from 'node:net';
import { Client, type Dispatcher, errors } from 'undici';
import type { AttemptResult, Claimed } from '../domain/attempting.ts';
import { signAll } from '../domain/signature.ts';
import type { AddressPolicy } from './address-policy.ts';
import { checkedConnector, RefusedAddress } from './checked-connector.ts';
import { nameLookup } from './name-lookup.ts';
import { Stopwatch } from './stopwatch.ts';

/** The receiver has this long, from the first byte of name resolution to its status line, in milliseconds. */
export const answerTimeoutMs = 5_000;
/** What is left of the answer may take this long more; it changes nothing about the outcome. */
const bodyTimeoutMs = 1_000;
const maxBodyBytes = 64_000;
const keptBodyBytes = 1_000;

const userAgent = 'Sigcast-Webhooks/1.0';

export type SenderOptions = {
  readonly policy: AddressPolicy;
  readonly now: () => number;
  /** Name servers as `address:port`; the system's own unless given. */
  readonly nameServers?: readonly string[];
  /** Resolves names in place of name servers. */
  readonly lookup?: LookupFunction;
  readonly timeoutMs?: number;
};

/** Makes one attempt. Never rejects: every failure is an outcome. */
export type Sender = { send(claimed: Claimed): Promise<AttemptResult>; close(): Promise<void> };

/**
 * A sender with connections of its own: proxies from the environment don't count, redirects are not followed, and
 * every address is checked where the connection is made, so that a name can't change its meaning in between.
 */
export function sender(options: SenderOptions): Sender {
  const { policy, now, timeoutMs = answerTimeoutMs } = options;
  const names = nameLookup(options.nameServers);
  const resolve = options.lookup ?? names.lookup;
  const clients = new Set<Client>();

  const attempt = async (claimed: Claimed, deadline: AbortController): Promise<AttemptResult> => {
    const { pathname, search, origin } = new URL(claimed.url);
    const way = new Stopwatch();
    // A connection of its own for each attempt: one kept open might be dead, or be closed just as it is used.
    const client = new Client(origin, {
      connect: checkedConnector({ policy, resolve, timeoutMs, way }),
      pipelining: 0,
      allowH2: false,
      headersTimeout: timeoutMs,
      bodyTimeout: bodyTimeoutMs,
    });
    clients.add(client);
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    try {
      const response = await client.request({
        method: 'POST',
        path: `${pathname}${search}`,
        signal: deadline.signal,
        headers: headersFor(claimed, Math.floor(now() / 1_000)),
        body: claimed.body,
      });
      clearTimeout(timer);
      way.mark('firstByte');
      const body = await startOf(response.body);
      const succeeded = response.statusCode === 200;
      return {
        outcome: succeeded ? 'succeeded' : 'bad_status',
        http_status: response.statusCode,
        error: succeeded ? null : `Answered ${response.statusCode}; only 200 counts as received`,
        response_body: body,
        ...way.report(),
      };
    } catch (error) {
      return { ...explain(error, { timedOut: deadline.signal.aborted, timeoutMs }), ...way.report() };
    } finally {
      clearTimeout(timer);
      clients.delete(client);
      void client.destroy();
    }
  };

  return {
    send: async (claimed) => {
      const refused = policy.checkUrl(claimed.url);
      if (refused) return failed('refused_address', `The address ${refused}`);
      if (!URL.canParse(claimed.url)) return failed('connection', 'The address is no URL');
      return attempt(claimed, new AbortController());
    },
    close: async () => {
      names.close();
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}

/** Standard Webhooks' headers; `webhook-id` is the event's identity and the same at every attempt. */
function headersFor({ delivery, secrets, body }: Claimed, timestampS: number): Record<string, string> {
  const id = delivery.eventId;
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signAll(secrets, { id, timestampS, body }),
    'webhook-attempt': String(delivery.attemptCount + 1),
  };
}

/** Reads at most 64 kB and returns the first kB; a body that breaks off or never ends is no matter. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), bodyTimeoutMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < keptBodyBytes) chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBodyBytes) break;
    }
  } catch {
    // What has arrived is what there is.
  } finally {
    clearTimeout(timer);
  }
  // Streaming, the decoder keeps back a character whose end was cut off.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, keptBodyBytes), { stream: true });
}

function explain(
  error: unknown,
  { timedOut, timeoutMs }: { timedOut: boolean; timeoutMs: number },
): AttemptResult {
  if (error instanceof RefusedAddress) return failed('refused_address', error.message);
  if (
    timedOut ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  ) {
    return failed('timeout', `No answer within ${timeoutMs} ms`);
  }
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return failed('connection', typeof code === 'string' ? `${code}: ${String(message)}` : String(message));
}

function failed(outcome: AttemptResult['outcome'], error: string): AttemptResult {
  return { outcome, http_status: null, error: error.slice(0, 500), response_body: null };
}
