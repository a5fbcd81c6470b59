import type { SignalDetail } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pairOf, safeInfo, startSources, type TestSources } from './sources.ts';
import { useScanner } from './use-scanner.ts';

const { scanners, startScanner: start, signalsOf, originOf, stateOf } = useScanner();
let sources: TestSources;

beforeEach(async () => {
  sources = await startSources();
});

afterEach(() => sources[Symbol.asyncDispose]());

const startScanner = (memory: string, more: Readonly<Record<string, string>> = {}) =>
  start(memory, {
    SCANNER_DEXSCREENER_URL: sources.url,
    SCANNER_GECKOTERMINAL_URL: `${sources.url}/api/v2`,
    ...more,
  });

/** Waits for what processes do, which take long to start on a busy machine. */
const soon = <T>(check: () => T | Promise<T>) => eventually(check, { timeoutMs: 90_000 });

const add = (prefix: string, count: number) => {
  for (let n = 0; n < count; n += 1) sources.tokens.set(`${prefix}${n}`, { contract: `${prefix}${n}` });
};

describe('a scanner', () => {
  it('shows operators its sources, refusals and signals, also those of a process that has stopped', async () => {
    sources.tokens.set('state-new', { contract: 'state-new' });
    sources.tokens.set('state-cap', {
      contract: 'state-cap',
      pairs: [pairOf({ contract: 'state-cap' }, { marketCap: 1e15, liquidity: { usd: 1e14 } })],
    });
    const first = startScanner('state');
    await soon(async () => expect(await signalsOf('state')).toHaveLength(1));
    await first.kill('SIGTERM');
    const second = startScanner('state');
    const state = await soon(async () => {
      const now = await stateOf(second);
      expect(now.sources.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['dexscreener-lists', 'dexscreener', 'geckoterminal']),
      );
      return now;
    });
    expect(state.rule).toBe('v1');
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    expect(sum(state.hours.map(({ signals }) => signals.new ?? 0))).toBe(1);
    expect(sum(state.hours.map(({ judged }) => judged))).toBeGreaterThanOrEqual(2);
    expect(state.refusals).toContainEqual({
      type: 'all',
      reason: 'implausible_cap',
      count: expect.any(Number),
    });
    for (const source of state.sources)
      expect(source).toEqual({ ...source, failures: 0, problem: null, answered_at: expect.any(String) });
  });

  it('makes one signal of a token that three lists name, with what it rests on', async () => {
    sources.tokens.set('one', { contract: 'one', isPaid: true, info: safeInfo });
    startScanner('one');
    const [made] = await soon(async () => {
      const found = await signalsOf('one');
      expect(found).toHaveLength(1);
      return found;
    });
    expect(made).toMatchObject({
      type: 'new',
      is_premium: false,
      token: { symbol: 'NOVA', contract: 'one', chain: 'base', dex_paid: true },
      metrics: { mcap_entry: 100_000, liquidity: 20_000, volume_24h: 10_000, holders: 321 },
    });
    expect(made?.token.age_hours).toBeCloseTo(1, 1);
    expect(await originOf(made as SignalDetail)).toEqual({
      rule: 'v1',
      sources: expect.arrayContaining(['dexscreener:profiles']),
      observed_at: expect.any(String),
      figures: { volume_1h: 10_000, buys_1h: 60, sells_1h: 40, buyers_1h: null, change_1h: 20 },
      risks: { top10_share: 0.245, mintable: false, freezable: false, honeypot: false },
      unknown: ['socials'],
    });
    // Each list was read several times since, and the token has no other signal.
    const reads = () => sources.requests.filter(({ path }) => path.startsWith('/token-boosts')).length;
    const before = reads();
    await soon(() => expect(reads()).toBeGreaterThan(before + 6));
    expect(await signalsOf('one')).toHaveLength(1);
  });

  it('makes each signal once, none without its origin, with three processes of which one after another is killed', async () => {
    add('kill', 120);
    for (let n = 0; n < 3; n += 1) startScanner('kill');
    for (let kills = 0; kills < 4; kills += 1) {
      const reached = 20 * (kills + 1);
      await soon(async () => expect((await signalsOf('kill')).length).toBeGreaterThanOrEqual(reached));
      await scanners.shift()?.kill('SIGKILL');
      startScanner('kill');
    }
    await soon(async () => expect(await signalsOf('kill')).toHaveLength(120));
    const made = await signalsOf('kill');
    expect(new Set(made.map(({ token: { contract } }) => contract)).size).toBe(120);
    for (const signal of made) expect(await originOf(signal)).toMatchObject({ rule: 'v1' });
  });

  it('makes nothing of traps, and takes no names and links that hide something', async () => {
    const hostile = {
      contract: 'trap-name',
      pairs: [pairOf({ contract: 'trap-name', symbol: 'NO\u202eVA' })],
    };
    sources.tokens.set('trap-name', hostile);
    const quote = pairOf(
      { contract: 'other' },
      { quoteToken: { address: 'trap-quote' }, liquidity: { usd: 1e9 } },
    );
    sources.tokens.set('trap-quote', { contract: 'trap-quote', pairs: [quote] });
    sources.tokens.set('trap-cap', {
      contract: 'trap-cap',
      pairs: [pairOf({ contract: 'trap-cap' }, { marketCap: 1e15 })],
    });
    sources.tokens.set('trap-mint', {
      contract: 'trap-mint',
      info: { ...safeInfo, mint_authority: 'somebody' },
    });
    sources.tokens.set('trap-ok', { contract: 'trap-ok' });
    startScanner('trap');
    const judged = () => sources.requests.filter(({ path }) => path.startsWith('/tokens/v1')).length;
    await soon(async () => expect(await signalsOf('trap')).toHaveLength(1));
    const before = judged();
    await soon(() => expect(judged()).toBeGreaterThan(before + 2));
    expect((await signalsOf('trap')).map(({ token: { contract } }) => contract)).toEqual(['trap-ok']);
  });

  it('asks each source no more often than its limit, with three processes', async () => {
    add('limit', 15);
    for (let n = 0; n < 3; n += 1)
      startScanner('limit', { SCANNER_LISTS_MS: '100', SCANNER_GECKOTERMINAL_PER_MINUTE: '240' });
    await soon(async () => expect(await signalsOf('limit')).toHaveLength(15));
    const asked = sources.requests.filter(({ path }) => path.startsWith('/api/v2')).map(({ atMs }) => atMs);
    // Permits are 250 ms apart; what is between them and the arrival differs from request to request.
    const [first = 0, last = 0] = [asked[0], asked.at(-1)];
    expect(asked.length - 1).toBeLessThanOrEqual((last - first) / 250 + 4);
  });
});
