import { type LimitedSource, limitedSource, type SourceAnswer } from '@sigcast/market';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { LeasedSignal } from '../src/domain/following.ts';
import { type MarketAnswer, type MarketSource, secondSource } from '../src/market/market-source.ts';
import type { TokenMarket } from '../src/market/token-markets.ts';
import { askMarkets } from '../src/poller/ask-markets.ts';
import { PollerMetrics } from '../src/poller/metrics.ts';

/** What the second source says of tokens on Ethereum after such an answer, and what it was asked. */
async function marketsAfter(answer: SourceAnswer, contracts: readonly string[]) {
  const asked: string[] = [];
  const source: LimitedSource = {
    failures: 0,
    get: async (path) => {
      asked.push(path);
      return answer;
    },
  };
  const never = new AbortController().signal;
  const said = await secondSource(source, 60_000).ask({ chain: 'ethereum', contracts }, never);
  return { asked, said, markets: said.kind === 'answered' ? Object.fromEntries(said.markets) : undefined };
}

const pool = (address: string, base: string, usd: Readonly<Record<string, unknown>>) => ({
  type: 'pool',
  attributes: { address, volume_usd: { h24: '7.5' }, market_cap_usd: null, fdv_usd: '900', ...usd },
  relationships: { base_token: { data: { id: `eth_${base}` } } },
});

it('the deepest pool of a token counts, and a token without a usable pool of its own is not absent', async () => {
  const json = {
    data: ['0xab', '0xcd'].map((address) => ({ type: 'token', attributes: { address } })),
    included: [
      pool('a', '0xab', { reserve_in_usd: '10' }),
      pool('b', '0xab', { reserve_in_usd: '30.25' }),
      pool('c', '0xother', { reserve_in_usd: '99' }),
    ],
  };
  const { asked, markets } = await marketsAfter({ kind: 'answered', json }, ['0xAB', '0xCD', '0xEF']);
  expect(asked).toEqual(['/networks/eth/tokens/multi/0xAB,0xCD,0xEF?include=top_pools']);
  expect(markets).toEqual({
    '0xab': { kind: 'market', mcap: 900, liquidity: 30.25, volume24h: 7.5 },
    '0xcd': { kind: 'unusable' },
    '0xef': { kind: 'absent' },
  });
});

it('a network that the source does not know has none of the tokens', async () => {
  const answer = { kind: 'refused', status: 404, reason: 'the status is 404' } as const;
  expect((await marketsAfter(answer, ['0xab'])).markets).toEqual({ '0xab': { kind: 'absent' } });
});

it.each([
  ['another refusal', { kind: 'refused', status: 401, reason: '' } as const, 'refused'],
  ['no list', { kind: 'answered', json: { data: null } } as const, 'unreadable'],
  ['no JSON object', { kind: 'answered', json: 7 } as const, 'unreadable'],
])('%s says nothing of tokens', async (_, answer, kind) => {
  expect((await marketsAfter(answer, ['0xab'])).said.kind).toBe(kind);
});

it('a permit is waited for no longer than is said, though an answer may take longer', async () => {
  const never = new AbortController().signal;
  const ask = (permits: { readonly take: () => Promise<number> }) => {
    const get = () => Promise.resolve({ kind: 'answered', json: { data: [] } } as const);
    const source = limitedSource(
      { get, close: () => Promise.resolve() },
      {
        permits: { ...permits, pause: () => Promise.resolve() },
        pauseMs: () => 1,
        answered: () => undefined,
      },
    );
    return secondSource(source, 3_600_000).ask({ chain: 'a', contracts: ['A'] }, never, 1);
  };
  expect(await ask({ take: () => Promise.resolve(3_600_000) })).toEqual({
    kind: 'paused',
    reason: 'there was no permit within 1 ms',
  });
  expect((await ask({ take: () => Promise.resolve(0) })).kind).toBe('answered');
});

it('tokens of which the first source has figures wait two seconds at most for a permit of the second one', async () => {
  const waits: unknown[] = [];
  const second: MarketSource = {
    ask: (_tokens, _stopping, permitWithinMs) => {
      waits.push(permitWithinMs);
      return Promise.resolve({ kind: 'paused', reason: 'there was no permit' });
    },
  };
  const signals = ['A', 'B'].map((contract): LeasedSignal => {
    const at = new Date(0);
    return {
      id: contract,
      contract,
      followed: { mcapEntry: 1, liquidityEntry: 1, createdAt: at, status: 'active' },
      state: undefined,
      position: undefined,
      seen: undefined,
      holders: undefined,
      isRefreshed: true,
      pending: undefined,
      dueAt: at,
      mostTokens: undefined,
    };
  });
  const ask = async (answer: MarketAnswer) => {
    const asked = await askMarkets(
      {
        source: { ask: () => Promise.resolve(answer) },
        second: { source: second, factor: 3 },
        permits: { take: () => Promise.resolve(0), pause: () => Promise.resolve() },
        metrics: new PollerMetrics(new Registry(), () => Promise.resolve(0)),
      },
      { chain: 'a', signals },
      new AbortController().signal,
    );
    return asked.kind === 'answered' ? signals.map((each) => asked.chosen(each).kind) : asked.kind;
  };
  const markets = new Map<string, TokenMarket>([
    ['A', { kind: 'market', mcap: 1, liquidity: 1, volume24h: 1 }],
    ['B', { kind: 'absent' }],
  ]);
  expect(await ask({ kind: 'answered', markets })).toEqual(['counts', 'unusable']);
  expect(await ask({ kind: 'timeout', reason: '' })).toBe('failed');
  expect(waits).toEqual([2_000, undefined]);
});
