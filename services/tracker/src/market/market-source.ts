import { contractKey } from '@sigcast/contracts';
import { retryAfterMs } from '@sigcast/http';
import { parseJson, reasonOf } from '@sigcast/runtime';
import { Agent, errors, request } from 'undici';
import { type TokenMarket, tokenMarkets } from './dexscreener.ts';

/** Why the source gave no answer that can be used. `refused`: a status from 400 to 499, other than 429. */
export type MarketFailure =
  | 'refused'
  | 'rate_limited'
  | 'bad_status'
  | 'timeout'
  | 'no_answer'
  | 'unreadable';

/** The source's answer about some tokens. */
export type MarketAnswer =
  /** By `contractKey`; every token that was asked about is in it. */
  | { readonly kind: 'answered'; readonly markets: ReadonlyMap<string, TokenMarket> }
  | {
      readonly kind: MarketFailure;
      /** What happened, for the log. */
      readonly reason: string;
      /** How long nobody may ask, where the source says so. */
      readonly retryAfterMs?: number | undefined;
    };

/** Where markets are asked about. */
export type MarketSource = {
  /** Asks about up to 30 contracts, all of them addresses. Never rejects. `stopping` ends the request, which is then a failure. */
  ask(contracts: readonly string[], stopping: AbortSignal): Promise<MarketAnswer>;
  close(): Promise<void>;
};

/** The most bytes of an answer. 30 tokens with a hundred pairs each are some 4 MB. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** Errors of an answer that is no HTTP, or too large. */
const unreadable = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseExceededMaxSizeError];

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
      // One timeout for the whole request: a slow body must not outlast the lease.
      const late = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await request(`${url}/latest/dex/tokens/${contracts.join(',')}`, {
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
        const kind = unreadable.some((type) => error instanceof type) ? 'unreadable' : 'no_answer';
        return { kind, reason: reasonOf(error) };
      }
    },
    close: () => dispatcher.close(),
  };
}

function failed(status: number, retryAfter: string | string[] | undefined): MarketAnswer {
  const [header] = [retryAfter].flat();
  return {
    kind: status === 429 ? 'rate_limited' : status >= 400 && status < 500 ? 'refused' : 'bad_status',
    reason: `the status is ${status}`,
    retryAfterMs: status === 429 || status === 503 ? retryAfterMs(header, Date.now()) : undefined,
  };
}
