import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { atMost, atRate, type Bench, latencyCells, percentile, say, table } from './frame.ts';
import { startReceivers, Ways } from './receivers.ts';
import { signalOf } from './signals.ts';
import { benchSystem, sayUsed } from './system.ts';

const livePerSecond = 20;
const warmUpLines = 500;

/**
 * What an import does to everybody's live events: signals written one by one for one subscriber, without and with an import
 * for another one under way, from its first line to its last delivery. `seconds`: of each part without.
 */
export const importBench: Bench = {
  parameters: { lines: 20_000, seconds: 60 },
  run: async (scope, given) => {
    const bench = await benchSystem(scope);
    const receivers = await startReceivers(scope, bench);
    await receivers.subscribe('/live', 'premium', 'live');
    await receivers.subscribe('/imported', 'new', 'imported');
    const ways = new Ways();
    const arrived = new Set<number>();
    receivers.onWebhook = (webhook) => {
      if (webhook.path === '/live') ways.arrived(webhook);
      else arrived.add(webhook.signal);
    };

    /** Writes live signals until something else is done, and waits until they have arrived. */
    const liveWhile = async (other: () => Promise<unknown>) => {
      const first = ways.written;
      let isOver = false;
      const done = other().finally(() => {
        isOver = true;
      });
      await atRate(
        livePerSecond,
        () => isOver,
        () => bench.produce('POST', '', signalOf(ways.next(), 'premium')),
      );
      await done;
      await eventually(() => ways.requireAll(), { timeoutMs: 300_000 });
      return ways.from(first);
    };
    /** Imports signals with these numbers. Resolves when all are delivered, with the seconds after which the lines were taken. */
    const importLines = async (from: number, count: number) => {
      const startedAt = performance.now();
      const lines = Array.from({ length: count }, (_, n) => `${JSON.stringify(signalOf(from + n, 'new'))}\n`);
      await bench.produce('POST', '/import', Readable.from([lines.join('')]));
      const seconds = (performance.now() - startedAt) / 1_000;
      await eventually(
        () => {
          if (!arrived.has(from + count - 1) || arrived.size < from + count)
            throw new Error(`${arrived.size} arrived`);
        },
        { timeoutMs: 3_600_000 },
      );
      return seconds;
    };

    say('warming up');
    await liveWhile(() => importLines(0, warmUpLines));
    const quietMs = given.number('seconds') * 1_000;
    const without = await liveWhile(() => delay(quietMs));
    const lines = given.number('lines');
    let takenAfterS = 0;
    const stop = await bench.measure();
    const during = await liveWhile(async () => {
      takenAfterS = await importLines(warmUpLines, lines);
    });
    sayUsed(await stop(), 'lines', lines);
    without.push(...(await liveWhile(() => delay(quietMs))));
    table([
      { 'live events': 'without an import', ...latencyCells(without) },
      { 'live events': 'with an import', ...latencyCells(during) },
    ]);
    say(`${(lines / takenAfterS).toFixed(0)} lines a second taken`);
    atMost('p99 with / without', percentile(during, 0.99) / percentile(without, 0.99), 1.5);
  },
};
