import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { seededRandom } from '@sigcast/runtime';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makePast, nextSeed } from '../src/market/past.ts';
import type { Producer } from '../src/market/producer.ts';
import { pastSignals } from '../src/market/script.ts';
import { marketServer } from '../src/market/server.ts';
import { fates, lives, marketAt, newToken, tokenOf } from '../src/market/token.ts';

const bornAtMs = Date.UTC(2026, 10, 1);

describe('a token of the simulated market', () => {
  it('can be read from its address: its birth to the second, its fate and its life', () => {
    const random = seededRandom(7);
    for (const fate of fates) {
      for (const life of ['days', 'minutes', 'seconds'] as const) {
        const token = newToken(random, { bornAtMs: bornAtMs + 999, life, fate });
        expect(token.bornAtMs).toBe(bornAtMs);
        expect(tokenOf(token.address)).toEqual(token);
      }
    }
    expect(tokenOf('0x5f3a')).toBeUndefined();
    expect(tokenOf(`0x${'f'.repeat(40)}`)).toBeUndefined();
  });

  it.each(fates)(
    'with the fate %s has the market of that fate, and the same one each time it is asked',
    (fate) => {
      const token = newToken(seededRandom(3), { bornAtMs, life: 'days', fate });
      const at = (life: number) => marketAt(token, bornAtMs + lives.days * life);
      const first = at(0);
      const way = Array.from({ length: 1_001 }, (_, step) => at(step / 1_000));
      expect(Array.from({ length: 1_001 }, (_, step) => at(step / 1_000))).toEqual(way);
      const factors = way.flatMap((market) => (market && first ? [market.mcap / first.mcap] : []));
      const share = (passes: (factor: number) => boolean) => factors.filter(passes).length / way.length;
      const remaining = (at(1)?.liquidity ?? 0) / (first?.liquidity ?? 1);
      const what = {
        wins: share((factor) => factor >= 2) > 0.3,
        spikes: share((factor) => factor >= 2) > 0 && share((factor) => factor >= 2) < 0.02,
        dies: (factors.at(-1) ?? 1) < 0.1 && remaining > 0.02,
        rugged: remaining < 0.02 && at(1) !== undefined,
        silent: at(1)?.volume24h === 0,
        vanishes: at(1) === undefined,
      };
      const expected: Record<typeof fate, Partial<typeof what>> = {
        steady: {},
        winner: { wins: true },
        spike: { spikes: true },
        'slow-death': { dies: true },
        silent: { silent: true },
        rug: { rugged: true },
        'winner-then-rug': { wins: true, rugged: true },
        vanishes: { vanishes: true },
      };
      const none = { wins: false, spikes: false, dies: false, rugged: false, silent: false, vanishes: false };
      expect(what).toEqual({ ...none, ...expected[fate] });
    },
  );

  it('has the market of its birth before its birth, and that of its end after its end', () => {
    const token = newToken(seededRandom(5), { bornAtMs, life: 'minutes', fate: 'winner' });
    expect(marketAt(token, 0)).toEqual(marketAt(token, bornAtMs));
    const endMs = bornAtMs + lives.minutes;
    expect(marketAt(token, endMs + 1e9)).toEqual(marketAt(token, endMs));
  });
});

describe('the past of the simulated market', () => {
  it('has every type with every status, and only observations that the market itself would have answered', () => {
    const now = Date.UTC(2026, 10, 20);
    const past = pastSignals(seededRandom(1), { now, count: 300, days: 60 });
    const seen = new Set(
      past.map(({ signal, moves }) => `${signal.type} ${moves.at(-1)?.status ?? 'active'}`),
    );
    expect(seen.size).toBe(6 * 4);
    for (const { signal, moves } of past) {
      const token = tokenOf(signal.token.contract);
      for (const { observed_at, metrics } of moves) {
        const atMs = Date.parse(observed_at ?? '');
        expect(atMs).toBeLessThanOrEqual(now);
        expect(token && marketAt(token, atMs)?.mcap).toBe(metrics.mcap_current);
      }
    }
    expect(pastSignals(seededRandom(1), { now, count: 300, days: 60 })).toEqual(past);
  });
});

describe("the simulated market's server", () => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  async function started(options: { faults?: number; seed?: number } = {}) {
    const server = marketServer({
      seed: 1,
      faults: 0,
      intervalMs: 8_000,
      life: 'minutes',
      now: () => bornAtMs + 60_000,
      ...options,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return (addresses: readonly string[], below = 'latest/dex/tokens') =>
      fetch(`${url}/${below}/${addresses.join(',')}`);
  }
  const token = newToken(seededRandom(11), { bornAtMs, life: 'minutes', fate: 'winner' });

  it('answers with several pairs of each token: of those with a market cap, the most liquid one is right', async () => {
    const ask = await started();
    const { pairs } = (await (await ask([token.address])).json()) as {
      pairs: { baseToken: { address: string }; marketCap?: number; liquidity: { usd: number } }[];
    };
    expect(pairs).toHaveLength(3);
    const priced = pairs.filter(({ marketCap }) => marketCap !== undefined);
    const [main] = priced.sort((a, b) => b.liquidity.usd - a.liquidity.usd);
    expect(main?.marketCap).toBe(marketAt(token, bornAtMs + 60_000)?.mcap);
    expect(pairs.every(({ baseToken }) => baseToken.address === token.address)).toBe(true);
  });

  it("has the same market of a token in both sources' formats, and no market of a token that has vanished", async () => {
    const ask = await started();
    const gone = newToken(seededRandom(5), { bornAtMs: 0, life: 'minutes', fate: 'vanishes' });
    const multi = await ask([token.address, gone.address], 'api/v2/networks/simulated/tokens/multi');
    const { data, included } = (await multi.json()) as { data: object[]; included: object[] };
    const { mcap, liquidity } = marketAt(token, bornAtMs + 60_000) ?? {};
    expect(data).toMatchObject([{ attributes: { address: token.address } }]);
    expect(included).toMatchObject([
      { attributes: { fdv_usd: String(mcap), reserve_in_usd: String(liquidity) } },
    ]);
    const pairs = await (await ask([token.address], 'tokens/v1/simulated')).json();
    expect(pairs).toContainEqual(expect.objectContaining({ marketCap: mcap, liquidity: { usd: liquidity } }));
  });

  it('refuses more than 30 addresses in a request and more than 300 requests in a minute', async () => {
    const ask = await started();
    expect((await ask(Array.from({ length: 31 }, () => token.address))).status).toBe(400);
    const statuses: number[] = [];
    for (let request = 0; request < 301; request++) statuses.push((await ask([token.address])).status);
    expect(statuses).toEqual(Array.from({ length: 301 }, (_, index) => (index < 300 ? 200 : 429)));
    expect((await ask([token.address])).headers.get('retry-after')).toMatch(/^[1-9][0-9]?$/);
  });

  it('answers with faults at the given rate, and with the same ones for the same seed', async () => {
    const others = Array.from({ length: 4 }, (_, seed) =>
      newToken(seededRandom(seed), { bornAtMs, life: 'minutes', fate: 'steady' }),
    );
    const addresses = [token, ...others].map(({ address }) => address);
    const answersOf = async () => {
      const ask = await started({ faults: 0.5, seed: 3 });
      const answers: string[] = [];
      for (let request = 0; request < 200; request++) {
        const answer = await ask(addresses);
        answers.push(`${answer.status} ${await answer.text()}`);
      }
      return answers;
    };
    const answers = await answersOf();
    const times = (text: string) => answers.filter((other) => other === text).length;
    const [whole] = [...new Set(answers)].sort((a, b) => times(b) - times(a));
    const faulty = answers.filter((answer) => answer !== whole);
    expect(faulty.length).toBeGreaterThan(70);
    expect(faulty.length).toBeLessThan(130);
    expect(new Set(faulty).size).toBeGreaterThanOrEqual(6);
    expect(await answersOf()).toEqual(answers);
  });
});

describe('the past of the simulated market', () => {
  const stateFile = join(mkdtempSync(join(tmpdir(), 'sigcast-past-')), 'market.json');
  afterAll(() => rmSync(dirname(stateFile), { recursive: true }));

  it('is made by the first run alone: many observations in one request, of each signal one, in their order', async () => {
    const created: string[] = [];
    const requests: { id: string; observed_at: string }[][] = [];
    const market: Producer = {
      create: async ({ created_at = '' }) => {
        created.push(created_at);
        return `signal-${created.length}`;
      },
      observe: async (moves) => void requests.push([...moves]),
    };
    const run = async () => {
      const seed = nextSeed(stateFile);
      await makePast(market, { stateFile, report: () => undefined });
      return seed;
    };
    expect([await run(), await run(), await run()]).toEqual([1, 2, 3]);
    expect(created).toHaveLength(300);
    expect(requests.length).toBeLessThan(10);
    for (const request of requests) expect(new Set(request.map(({ id }) => id)).size).toBe(request.length);
    const seen = new Map<string, string>();
    for (const { id, observed_at } of requests.flat()) {
      expect(observed_at > (seen.get(id) ?? '')).toBe(true);
      seen.set(id, observed_at);
    }
    expect(seen.size).toBe(300);
  });
});
