import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { childrensCpuS } from '../reads/process-cpu.ts';
import { say } from '../report.ts';
import { describeCommands } from '../store-view.ts';
import { quantile } from '../webhooks/rig.ts';
import { type Asked, type LocalMarket, startLocalMarket } from './local-market.ts';
import { type FollowedSignal, type TrackerSystem, trackerSystem } from './tracker-system.ts';

const pollers = 3;
const usualSize = 100_000;
const usualSeconds = 120;
const hourMs = 3_600_000;
/** DexScreener's limit, and one that does not matter. */
const usualPerMinute = 300;
const unlimitedPerMinute = 60_000;

/** How often the default schedule asks about a signal of this age, in milliseconds. */
function everyMs(ageMs: number): number {
  if (ageMs < hourMs) return 60_000;
  return ageMs < 24 * hourMs ? 300_000 : hourMs;
}

/**
 * Three pollers follow signals that lie evenly over 29 days, with the default schedule and limit and a market that takes
 * 100 ms: how late they ask, and what that takes. Then all signals are due at once, without a limit: how fast they are.
 */
export async function benchTracker(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const size = Number(args[0] ?? usualSize);
  const seconds = Number(args[1] ?? usualSeconds);
  const market = await startLocalMarket(scope);
  const system = await trackerSystem(scope);
  say(`importing ${size} signals`);
  await system.import(size);
  const signals = await system.signals();
  await byPlan({ system, market, signals, seconds });
  await allAtOnce({ system, market, signals });
}

type Bench = {
  readonly system: TrackerSystem;
  readonly market: LocalMarket;
  readonly signals: readonly FollowedSignal[];
};

async function startPollers({ system, market }: Bench, perMinute: number): Promise<() => Promise<unknown>> {
  const settings = { MARKET_URL: market.url, MARKET_REQUESTS_PER_MINUTE: String(perMinute) };
  const started = await Promise.all(Array.from({ length: pollers }, () => system.startPoller(settings)));
  return () => Promise.all(started.map((poller) => poller.kill('SIGTERM')));
}

/** Follows signals that come due at random times of their intervals, as after hours of following. */
async function byPlan(bench: Bench & { readonly seconds: number }): Promise<void> {
  const { system, market, signals, seconds } = bench;
  const nowMs = Date.now();
  const due = new Map(
    signals.map(({ contract, createdAtMs }) => [
      contract,
      nowMs + Math.random() * everyMs(nowMs - createdAtMs),
    ]),
  );
  await system.follow(
    signals.map((signal) => ({ ...signal, dueAt: new Date(due.get(signal.contract) ?? 0) })),
  );
  await system.startTracker();
  const wanted = signals.reduce((sum, { createdAtMs }) => sum + 1_000 / everyMs(nowMs - createdAtMs), 0);
  const stop = await startPollers(bench, usualPerMinute);
  // What was due while the processes started is not counted as late.
  const fromMs = Date.now();
  const { used, elapsedS } = await measured(bench, () => delay(seconds * 1_000));
  const asked = market.asked.splice(0);
  await stop();
  const created = new Map(signals.map(({ contract, createdAtMs }) => [contract, createdAtMs]));
  const { lateMs, tooEarly } = compare(asked, {
    due,
    fromMs,
    everyOf: (contract, atMs) => everyMs(atMs - (created.get(contract) ?? 0)),
  });
  say(`by the schedule, ${usualPerMinute} requests a minute: ${wanted.toFixed(1)} signals come due a second`);
  say(
    `  asked ${(asked.length / elapsedS).toFixed(1)} signals/s in ${(used.requests / elapsedS).toFixed(2)} requests/s, ` +
      `late by p50 ${asSeconds(quantile(lateMs, 0.5))}, p99 ${asSeconds(quantile(lateMs, 0.99))}, at most ${asSeconds(Math.max(...lateMs))}`,
  );
  say(`  ${tooEarly} of them within their interval`);
  say(used.text);
}

/** How late each question was, and how many came before the signal's interval was over. */
function compare(
  asked: readonly Asked[],
  {
    due,
    fromMs,
    everyOf,
  }: {
    readonly due: Map<string, number>;
    readonly fromMs: number;
    readonly everyOf: (contract: string, atMs: number) => number;
  },
): { readonly lateMs: readonly number[]; readonly tooEarly: number } {
  /** Until when a token must not be asked about again. */
  const notBefore = new Map<string, number>();
  const lateMs: number[] = [];
  let tooEarly = 0;
  for (const { contract, atMs, answeredAtMs } of asked) {
    const dueMs = due.get(contract) ?? 0;
    if (dueMs >= fromMs) lateMs.push(Math.max(0, atMs - dueMs));
    if (atMs < (notBefore.get(contract) ?? 0)) tooEarly += 1;
    const every = everyOf(contract, atMs);
    notBefore.set(contract, atMs + every);
    due.set(contract, answeredAtMs + every);
  }
  return { lateMs, tooEarly };
}

/** Follows signals that are all due at once, as after an outage of the market. */
async function allAtOnce(bench: Bench): Promise<void> {
  const { system, market, signals } = bench;
  await system.makeDue();
  const stop = await startPollers(bench, unlimitedPerMinute);
  const { used, elapsedS } = await measured(bench, () =>
    eventually(
      () => {
        if (market.asked.length < signals.length) throw new Error(`${market.asked.length} are asked`);
      },
      { timeoutMs: 1_200_000, everyMs: 20 },
    ),
  );
  await stop();
  say(
    `all at once, without a limit: ${(signals.length / elapsedS).toFixed(0)} signals/s in ` +
      `${(used.requests / elapsedS).toFixed(1)} requests/s`,
  );
  say(used.text);
}

const asSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;

/** The requests, store commands and cores that are used while `work` runs. */
async function measured({ system, market }: Bench, work: () => Promise<unknown>) {
  const [startedAt, requests, cpu] = [performance.now(), market.requests, childrensCpuS(system.names)];
  const commands = await system.store.commands();
  await work();
  const elapsedS = (performance.now() - startedAt) / 1_000;
  const after = await system.store.commands();
  const cpuAfter = childrensCpuS(system.names);
  const cores = [...cpuAfter].map(
    ([name, s]) => `${name} ${((s - (cpu.get(name) ?? 0)) / elapsedS).toFixed(2)}`,
  );
  const counted = describeCommands(commands, after, elapsedS);
  const text = `  store commands a second: ${counted}\n  cores: ${cores.join(', ')}`;
  return { used: { requests: market.requests - requests, text }, elapsedS };
}
