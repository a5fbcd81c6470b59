import type { SignalType } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { atLeast, atMost, atRate, type Bench, latencyCells, percentile, say, table } from './frame.ts';
import { burst, startReceivers, Ways } from './receivers.ts';
import { signalOf } from './signals.ts';
import { benchSystem, sayUsed } from './system.ts';

const subscribers = 20;
const eventsPerRound = 300;

/** Signed deliveries a second, of one account and of many; and the way from a write to a receiver's first byte. */
export const deliveries: Bench = {
  parameters: { rounds: 3, seconds: 10 },
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
  },
};
