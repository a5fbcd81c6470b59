import { retryAfterMs } from '@sigcast/http';
import { Agent, request } from 'undici';
import { contractKey } from '../domain/contract.ts';
import { type TokenMarket, tokenMarkets } from './dexscreener.ts';

/** Why the source gave no answer that can be used. */
export type MarketFailure = 'rate_limited' | 'bad_status' | 'timeout' | 'no_answer' | 'unreadable';

/** The source's answer about some tokens. */
export type MarketAnswer =
  /** By `contractKey`; every token that was asked about is in it. */
  | { readonly kind: 'answered'; readonly markets: ReadonlyMap<string, TokenMarket> }
  /** The source does not take this request, perhaps because of a single address in it. */
  | { readonly kind: 'refused'; readonly status: number }
  | {
      readonly kind: MarketFailure;
      /** What happened, for the log. */
      readonly reason: string;
      /** How long nobody may ask, where the source says so. */
      readonly retryAfterMs?: number | undefined;
    };

/** Where markets are asked about. */
export type MarketSource = {
  /** Asks about up to 30 contracts. Never rejects. `stopping` ends the request, which is then a failure. */
  ask(contracts: readonly string[], stopping: AbortSignal): Promise<MarketAnswer>;
  close(): Promise<void>;
};

/** The most bytes of an answer. 30 tokens with a hundred pairs each are some 4 MB. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** Statuses that are about the request itself: the same request will not be answered later either. */
const refusals: ReadonlySet<number> = new Set([400, 404, 414, 422]);

/** A source in DexScreener's format, `GET {url}/latest/dex/tokens/{addresses}`. Redirects are not followed. */
export function marketSource({
  url,
  timeoutMs,
}: {
  readonly url: string;
  readonly timeoutMs: number;
}): MarketSource {
  const dispatcher = new Agent({ maxResponseSize: maxAnswerBytes, connectTimeout: timeoutMs });
  return {
    ask: async (contracts, stopping) => {
      const path = contracts.map(encodeURIComponent).join(',');
      // One bound for the whole request: a slow body must not outlast the lease.
      const late = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await request(`${url}/latest/dex/tokens/${path}`, {
          headers: { accept: 'application/json' },
          signal: AbortSignal.any([late, stopping]),
          dispatcher,
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) return failed(answer.statusCode, answer.headers['retry-after']);
        const markets = tokenMarkets(parseJson(text), contracts.map(contractKey));
        if (markets === undefined)
          return { kind: 'unreadable', reason: `the answer is not in DexScreener's format` };
        return { kind: 'answered', markets };
      } catch (error) {
        if (late.aborted) return { kind: 'timeout', reason: `no whole answer within ${timeoutMs} ms` };
        return { kind: 'no_answer', reason: reasonOf(error) };
      }
    },
    close: () => dispatcher.close(),
  };
}

function failed(status: number, retryAfter: string | string[] | undefined): MarketAnswer {
  if (refusals.has(status)) return { kind: 'refused', status };
  const [header] = [retryAfter].flat();
  return {
    kind: status === 429 ? 'rate_limited' : 'bad_status',
    reason: `the status is ${status}`,
    retryAfterMs: status === 429 ? retryAfterMs(header, Date.now()) : undefined,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error of a refused connection to several addresses has an empty message, and a code. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || 'unknown';
}
