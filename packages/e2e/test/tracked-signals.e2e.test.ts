import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedSignal, SignalHistory, SignalStatus, WebhookPayload } from '@sigcast/contracts';
import { fates, lives, type MarketProcesses, startMarket, tokenOf } from '@sigcast/local';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deciderToken, type TestSystem, testSystem } from './system.ts';

/** The status that the rules give a token of each fate, however late the market is asked. */
const expected: Readonly<Record<(typeof fates)[number], SignalStatus>> = {
  steady: 'active',
  winner: 'winner',
  spike: 'active',
  'slow-death': 'dead',
  silent: 'dead',
  rug: 'rugged',
  'winner-then-rug': 'rugged',
  vanishes: 'dead',
};

/** Tokens live for 20 s, so rules that wait for minutes or days wait for seconds. */
const pace = {
  MARKET_LIFE: 'seconds',
  MARKET_INTERVAL_MS: '500',
  SCANNER_LISTS_MS: '1000',
  SCANNER_DEXSCREENER_LISTS_PER_MINUTE: '900',
  SCANNER_GECKOTERMINAL_PER_MINUTE: '450',
  // Every token is a signal, before it has changed much.
  SCANNER_RULES: JSON.stringify({
    traps: {
      min_liquidity_usd: 0,
      min_liquidity_share: 0,
      max_rise_1h_percent: 1e6,
      min_trades_1h: 0,
      min_sells_share: 0,
      max_sells_share: 1,
      max_top10_share: 1,
    },
    new: { max_age_hours: 8_760, min_buys_1h: 0 },
  }),
  MARKET_GECKOTERMINAL_PER_MINUTE: '450',
  TRACKER_SCHEDULE: '1h:1s',
  TRACKER_LEASE_MS: '3000',
};
const rules = {
  winner: { multiple: 2, sustained_minutes: 0.05, min_liquidity_usd: 1_000 },
  rugged: { remaining_share: 0.1, window_minutes: 60, min_liquidity_usd: 100, confirmations: 2 },
  dead: { share: 0.1, confirmations: 2, silent_hours: 0.002 },
};
const patient = { timeoutMs: 90_000, everyMs: 250 };

let system: TestSystem;
let receiver: Receiver;
let processes: MarketProcesses;
const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-market-'));
const rulesFile = join(dataDir, 'rules.json');

beforeAll(async () => {
  writeFileSync(rulesFile, JSON.stringify(rules));
  receiver = await startReceiver();
  system = await testSystem();
  const events = ['signal.new', 'signal.winner', 'signal.dead', 'signal.rugged'];
  await system.api('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: `${receiver.url}/events`, events }),
  });
  const { ingestToken } = system;
  processes = await startMarket({
    dataDir,
    system,
    ingestToken,
    scannerToken: ingestToken,
    redisUrlOf: () => system.stack.redisUrl,
    seed: 1,
    trackerToken: await deciderToken(system),
    overrides: {
      ...pace,
      TRACKER_RULES_FILE: rulesFile,
      MARKET_FAULTS: '30',
      REDIS_KEY_PREFIX: system.stack.redisKeyPrefix,
    },
    report: () => undefined,
  });
}, 60_000);

afterAll(async () => {
  await processes?.stop();
  await system?.stop();
  await receiver?.[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

async function signals(): Promise<readonly ListedSignal[]> {
  const { body } = await system.api('/v1/signals?limit=100&include=outcome');
  return body.data as ListedSignal[];
}

const fateOf = ({ token }: ListedSignal) => tokenOf(token.contract)?.fate ?? 'steady';

/** Whether the signal was made in the first fifth of the token's life: later, a winner may have risen too far to double again. */
const isEarly = ({ token, created_at }: ListedSignal) =>
  Date.parse(created_at) - (tokenOf(token.contract)?.bornAtMs ?? 0) < lives.seconds / 5;

const received = () =>
  receiver.requests.map(
    ({ body }) => JSON.parse(body.toString()) as WebhookPayload & { data: { id: string } },
  );

describe('signals whose market is followed, while three in ten answers of the market are faults', () => {
  it('get the outcomes that the rules decide, though the poller is killed and the market is away for a while', async () => {
    await eventually(async () => expect((await signals()).length).toBeGreaterThanOrEqual(20), patient);
    await processes.poller.kill('SIGKILL');
    await processes.poller.start();
    await eventually(
      async () => expect(new Set((await signals()).filter(isEarly).map(fateOf))).toEqual(new Set(fates)),
      { ...patient, timeoutMs: 180_000 },
    );
    // As many as the poller keeps up with: more would be asked about ever more rarely.
    await processes.scanner.kill('SIGTERM');
    await processes.market?.kill('SIGKILL');
    await processes.poller.kill('SIGTERM');
    await processes.poller.start();
    const followed = (await signals()).filter(isEarly);
    await processes.market?.start();
    const ids = new Set(followed.map(({ id }) => id));
    const outcomes = async () => {
      const pages = await Promise.all(
        followed.map(async ({ id }) => (await system.api(`/v1/signals/${id}?include=outcome`)).body.data),
      );
      return pages as ListedSignal[];
    };
    const ended = await eventually(async () => {
      const now = await outcomes();
      const wrong = now.filter((signal) => signal.performance.status !== expected[fateOf(signal)]);
      expect(wrong.map((signal) => [fateOf(signal), signal.performance.status])).toEqual([]);
      return now;
    }, patient);
    for (const { outcome, performance } of ended) {
      if (performance.status === 'active') {
        expect(outcome).toBeNull();
        continue;
      }
      expect(outcome).toMatchObject({ status: performance.status, decided_by: 'rule', rule: 'v1-custom' });
      expect(outcome?.observations.length).toBeGreaterThanOrEqual(2);
    }

    // Every decision reaches subscribers once.
    const decided = ended.filter(({ performance }) => performance.status !== 'active');
    await eventually(() => {
      for (const { id, performance } of decided) {
        const events = received().filter(({ data }) => data.id === id);
        const names = events.map(({ event }) => event);
        expect(names).toEqual([...new Set(names)]);
        expect(names).toContain(`signal.${performance.status}`);
      }
    }, patient);
    expect(received().filter(({ data }) => ids.has(data.id)).length).toBeGreaterThan(decided.length);

    // The last change in the history of each signal is this outcome.
    for (const { id, outcome } of decided) {
      const { buckets, entry, ath } = await eventually(async () => {
        const { body } = await system.api(`/v1/signals/${id}/history?resolution=1m`);
        const history = body.data as SignalHistory;
        expect(history.changes.at(-1)).toEqual({ at: expect.any(String), ...outcome });
        return history;
      }, patient);
      expect(buckets.length).toBeGreaterThan(0);
      expect(ath.mcap).toBeGreaterThanOrEqual(entry.mcap);
    }
  }, 420_000);
});
