import { signalTypes } from '@sigcast/contracts';
import { seededRandom } from '@sigcast/runtime';
import { pick } from './pick.ts';
import type { Producer } from './producer.ts';
import { makeSignal, pastSignals } from './script.ts';
import { type Life, newToken } from './token.ts';

/** Requests under way at once while the past is made. */
const seedingConcurrency = 8;

/** Makes the signals of the past and what became of them. A repetition on the same day makes no signal twice. */
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

/**
 * Makes a signal of a new token at each step, for ever. The tracker finds out what becomes of the token by asking the market.
 * A step that fails is reported, and the next step goes on.
 */
export async function* newSignals(
  market: Producer,
  { seed, life }: { readonly seed: number; readonly life: Life },
): AsyncGenerator<{ error?: unknown }> {
  // Offset, so that the live signals are not the past ones again.
  const random = seededRandom(seed + 0x5eed);
  for (;;) {
    const token = newToken(random, { bornAtMs: Date.now(), life });
    try {
      await market.create(makeSignal(random, pick(random, signalTypes), token));
      yield {};
    } catch (error) {
      yield { error };
    }
  }
}
