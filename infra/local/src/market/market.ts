import { signalTypes } from '@sigcast/contracts';
import { seededRandom } from '@sigcast/runtime';
import { pick } from './pick.ts';
import type { Producer } from './producer.ts';
import { type MarketSignal, makeSignal, move, pastSignals } from './script.ts';

/** Requests under way at once while the past is made. */
const seedingConcurrency = 8;

/** Makes the signals of the past and what became of them. Interrupted and repeated the same day, it makes none twice. */
export async function seedPast(
  market: Producer,
  options: { seed: number; count: number; days: number; now: number; signal?: AbortSignal },
): Promise<void> {
  // The day, not the moment: a repetition then sends the same bodies under the same keys.
  const now = Math.floor(options.now / 86_400_000) * 86_400_000;
  const past = pastSignals(seededRandom(options.seed), { ...options, now });
  const queue = past.entries();
  const work = async () => {
    for (const [index, { signal, moves }] of queue) {
      options.signal?.throwIfAborted();
      const id = await market.create(signal, `market-${options.seed}-${now}-${index}`);
      for (const each of moves) await market.patch(id, each);
    }
  };
  await Promise.all(Array.from({ length: seedingConcurrency }, work));
}

type Open = { readonly id: string; readonly signal: MarketSignal; factor: number };

/** Signals the market keeps moving; older ones are left as they are. */
const maxOpen = 60;

/**
 * Trades for ever: each step makes a signal or moves an old one, up, down, or to its end. A step that fails is
 * reported and the next one goes on.
 */
export async function* trade(market: Producer, seed: number): AsyncGenerator<{ error?: unknown }> {
  // Offset, so that the live signals are not the past ones again.
  const random = seededRandom(seed + 0x5eed);
  const open: Open[] = [];
  for (;;) {
    try {
      if (open.length < 5 || random() < 0.35) {
        const signal = makeSignal(random, pick(random, signalTypes));
        open.push({ id: await market.create(signal), signal, factor: 1 });
        if (open.length > maxOpen) open.shift();
      } else {
        await moveOne(market, open, random);
      }
      yield {};
    } catch (error) {
      yield { error };
    }
  }
}

async function moveOne(market: Producer, open: Open[], random: () => number): Promise<void> {
  const chosen = pick(random, open);
  // A random walk with a slight drift upwards; one step in forty pulls the rug.
  const rug = random() < 0.025;
  chosen.factor = rug ? 0.01 : Math.max(0.01, chosen.factor * (0.75 + random() * 0.6));
  const status = rug ? 'rugged' : chosen.factor > 2 ? 'winner' : chosen.factor < 0.3 ? 'dead' : undefined;
  const step = move(chosen.signal, chosen.factor, random);
  if (status) open.splice(open.indexOf(chosen), 1);
  await market.patch(chosen.id, status ? { ...step, status } : step);
}
