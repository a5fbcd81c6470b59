import {
  identityHeader,
  type Origin,
  type SignalDetail,
  signalsReadScope,
  signalsWriteScope,
} from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import {
  addressOf,
  eventually,
  type ServiceProcess,
  spawnService,
  type TestStack,
  testKeyPair,
  testStack,
} from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pairOf, safeInfo, sendJson, startSources, type TestSources } from './sources.ts';

const file = (path: string) => new URL(path, import.meta.url).pathname;
const keys = testKeyPair();
const sign = identitySigner('operator', keys.privateKey, 'signals');
const token = (subject: string, scope: string) => sign({ subject, scopes: [scope], ttlS: 3_600 });

let stack: TestStack;
let signals: ServiceProcess;
let signalsUrl: string;
let sources: TestSources;
const scanners: ServiceProcess[] = [];

beforeAll(async () => {
  stack = testStack();
  signals = spawnService(file('../../signals/src/main.ts'), {
    MONGODB_URI: stack.mongodbUri,
    MONGODB_DATABASE: stack.database('signals'),
    AMQP_URL: stack.amqpUrl,
    BROKER_NAMESPACE: stack.namespace,
    GATEWAY_PUBLIC_KEYS: keys.publicKey,
    OPERATOR_PUBLIC_KEYS: keys.publicKey,
    PORT: '0',
  });
  signalsUrl = await addressOf(signals);
}, 60_000);

beforeEach(async () => {
  sources = await startSources();
});

afterEach(async () => {
  await Promise.all(scanners.splice(0).map((each) => each[Symbol.asyncDispose]()));
  await sources[Symbol.asyncDispose]();
});

afterAll(async () => {
  await signals?.[Symbol.asyncDispose]();
  await stack?.[Symbol.asyncDispose]();
});

/** Starts a scanner on a memory of its own, unless `memory` names one. */
function startScanner(memory: string, more: Readonly<Record<string, string>> = {}): ServiceProcess {
  const scanner = spawnService(file('../src/main.ts'), {
    MONGODB_URI: stack.mongodbUri,
    MONGODB_DATABASE: stack.database(memory),
    REDIS_URL: stack.redisUrl,
    REDIS_KEY_PREFIX: `${stack.redisKeyPrefix}${memory}:`,
    SIGNALS_URL: signalsUrl,
    SIGNALS_TOKEN: token(memory, signalsWriteScope),
    SCANNER_DEXSCREENER_URL: sources.url,
    SCANNER_GECKOTERMINAL_URL: `${sources.url}/api/v2`,
    SCANNER_CHAINS: 'base',
    SCANNER_LISTS_MS: '200',
    SCANNER_AGAIN_MS: '0',
    SCANNER_DEXSCREENER_LISTS_PER_MINUTE: '60000',
    SCANNER_DEXSCREENER_PER_MINUTE: '60000',
    SCANNER_GECKOTERMINAL_PER_MINUTE: '60000',
    SCANNER_LEASE_MS: '2000',
    PORT: '0',
    METRICS_PORT: '0',
    ...more,
  });
  scanners.push(scanner);
  return scanner;
}

/** What a signal rests on, as an account sees it. */
async function originOf({ id }: SignalDetail): Promise<Origin | null> {
  const account = identitySigner(
    'gateway',
    keys.privateKey,
    'signals',
  )({ subject: 'acct_1', scopes: [], ttlS: 60 });
  const response = await fetch(`${signalsUrl}/v1/signals/${id}?include=origin`, {
    headers: { [identityHeader]: account },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return (JSON.parse(text) as { data: { origin: Origin | null } }).data.origin;
}

/** All signals of tokens whose contract begins so. */
async function signalsOf(prefix: string): Promise<readonly SignalDetail[]> {
  const all: SignalDetail[] = [];
  for (let after = ''; ; ) {
    const response = await fetch(
      `${signalsUrl}/internal/v1/signals?limit=1000${after && `&after=${after}`}`,
      {
        headers: { authorization: `Bearer ${token('reader', signalsReadScope)}` },
      },
    );
    const { data, meta } = (await response.json()) as {
      data: { signal: SignalDetail }[];
      meta: { next_after: string | null };
    };
    all.push(...data.map(({ signal }) => signal));
    if (meta.next_after === null) return all.filter(({ token: { contract } }) => contract.startsWith(prefix));
    after = meta.next_after;
  }
}

const add = (prefix: string, count: number) => {
  for (let n = 0; n < count; n += 1) sources.tokens.set(`${prefix}${n}`, { contract: `${prefix}${n}` });
};

describe('a scanner', () => {
  it('makes one signal of a token that three lists name, with what it rests on', async () => {
    sources.tokens.set('one', { contract: 'one', isPaid: true, info: safeInfo });
    startScanner('one');
    const [made] = await eventually(async () => {
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
    await eventually(() => expect(reads()).toBeGreaterThan(before + 6));
    expect(await signalsOf('one')).toHaveLength(1);
  });

  it('makes each signal once, none without its origin, with three processes of which one after another is killed', async () => {
    add('kill', 120);
    for (let n = 0; n < 3; n += 1) startScanner('kill');
    for (let kills = 0; kills < 4; kills += 1) {
      const reached = 20 * (kills + 1);
      await eventually(async () => expect((await signalsOf('kill')).length).toBeGreaterThanOrEqual(reached));
      await scanners.shift()?.kill('SIGKILL');
      startScanner('kill');
    }
    await eventually(async () => expect(await signalsOf('kill')).toHaveLength(120), { timeoutMs: 60_000 });
    const made = await signalsOf('kill');
    expect(new Set(made.map(({ token: { contract } }) => contract)).size).toBe(120);
    for (const signal of made) expect(await originOf(signal)).toMatchObject({ rule: 'v1' });
  });

  it('makes the same signals while three in ten answers are faults', async () => {
    add('fault', 12);
    let index = 0;
    const faults: readonly ((res: Parameters<typeof sendJson>[0]) => unknown)[] = [
      (res) => sendJson(res, 429, {}, { 'retry-after': '1' }),
      (res) => sendJson(res, 429, {}),
      (res) => sendJson(res, 503, {}),
      (res) => res.end('<html>'),
      (res) => sendJson(res, 200, null),
      (res) => res.socket?.destroy(),
    ];
    sources.fault = (res) => {
      index += 1;
      if (index % 10 > 2) return undefined;
      faults[index % faults.length]?.(res);
      return true;
    };
    startScanner('fault');
    await eventually(async () => expect(await signalsOf('fault')).toHaveLength(12), { timeoutMs: 60_000 });
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
    await eventually(async () => expect(await signalsOf('trap')).toHaveLength(1));
    const before = judged();
    await eventually(() => expect(judged()).toBeGreaterThan(before + 2));
    expect((await signalsOf('trap')).map(({ token: { contract } }) => contract)).toEqual(['trap-ok']);
  });

  it('asks each source no more often than its limit, with three processes', async () => {
    add('limit', 15);
    for (let n = 0; n < 3; n += 1)
      startScanner('limit', { SCANNER_LISTS_MS: '100', SCANNER_GECKOTERMINAL_PER_MINUTE: '240' });
    await eventually(async () => expect(await signalsOf('limit')).toHaveLength(15), { timeoutMs: 60_000 });
    const asked = sources.requests.filter(({ path }) => path.startsWith('/api/v2')).map(({ atMs }) => atMs);
    // Permits are 250 ms apart; what is between them and the arrival differs from request to request.
    const [first = 0, last = 0] = [asked[0], asked.at(-1)];
    expect(asked.length - 1).toBeLessThanOrEqual((last - first) / 250 + 4);
  });
});
