import type { SignalType } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import {
  atLeast,
  atMost,
  atRate,
  type Bench,
  inFlight,
  latencyCells,
  percentile,
  say,
  table,
} from './frame.ts';
import { burst, startReceivers, Ways } from './receivers.ts';
import { signalOf } from './signals.ts';
import { benchSystem, sayUsed } from './system.ts';

const subscribers = 20;
const eventsPerRound = 300;

/**
 * Signed deliveries a second, of one account and of many; the way from a write to a receiver's first byte; and one event to many
 * webhooks. `wide`: how many, 20 of an account each.
 */
export const deliveries: Bench = {
  parameters: { rounds: 3, seconds: 10, wide: 10_000 },
  run: async (scope, given) => {
    const bench = await benchSystem(scope);
    const receivers = await startReceivers(scope, bench);
    await receivers.subscribe('/way', 'wallet', 'way');
    for (let n = 0; n < subscribers; n += 1) {
      await receivers.subscribe(`/one-${n}`, 'new', 'one');
      await receivers.subscribe(`/many-${n}`, 'premium', `many${n}`);
    }

    const rows: Parameters<typeof table>[0][number][] = [];
    for (const perSecond of [50, 500]) {
      const ways = new Ways();
      receivers.onWebhook = (webhook) => ways.arrived(webhook);
      // The first two seconds warm up.
      const warmUp = perSecond * 2;
      const count = warmUp + perSecond * given.number('seconds');
      await atRate(
        perSecond,
        (turn) => turn === count,
        () => bench.produce('POST', '', signalOf(ways.next(), 'wallet')),
      );
      await eventually(() => ways.requireAll(), { timeoutMs: 120_000 });
      const measured = ways.from(warmUp);
      rows.push({ 'events a second': perSecond, ...latencyCells(measured) });
      if (perSecond === 50) {
        atMost('p95 from a write to the first byte at 50/s, ms', percentile(measured, 0.95), 100);
      }
    }
    table(rows);

    const throughput = async (type: SignalType) => {
      const { perSecond, used } = await burst(bench, receivers, {
        events: eventsPerRound,
        subscribers,
        type,
      });
      sayUsed(used, 'deliveries', eventsPerRound * subscribers);
      return perSecond;
    };
    // Subscribers of one account share a bound of 100 requests in flight at their host; with an account each, most begin at once.
    for (const [accounts, type] of [
      ['one account', 'new'],
      ['many accounts', 'premium'],
    ] as const) {
      say(accounts);
      const rates: number[] = [];
      for (let round = 0; round < given.number('rounds'); round += 1) rates.push(await throughput(type));
      atLeast(`signed deliveries/s, ${accounts}`, percentile(rates, 0.5), 800);
    }

    const wide = given.number('wide');
    say(`one event to ${wide} webhooks`);
    await inFlight(16, wide, (n) =>
      receivers.subscribe(`/wide-${n}`, '7d', `wide${Math.floor(n / subscribers)}`),
    );
    const toAll = async () => {
      const startedAt = performance.now();
      const { used } = await burst(bench, receivers, { events: 1, subscribers: wide, type: '7d' });
      const seconds = (performance.now() - startedAt) / 1_000;
      sayUsed(used, 'deliveries', wide);
      return seconds;
    };
    say(`the first, with which their addresses prove themselves: ${(await toAll()).toFixed(2)} s`);
    const later: number[] = [];
    for (let round = 0; round < given.number('rounds'); round += 1) later.push(await toAll());
    atMost('seconds from the write to the last of them', percentile(later, 0.5), 3);
  },
};
