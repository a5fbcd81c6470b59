import { signalTypes } from '@sigcast/contracts';
import { seededRandom } from '@sigcast/runtime';
import { pick } from './pick.ts';
import type { Producer } from './producer.ts';
import { makeSignal, pastSignals } from './script.ts';
import { type Life, newToken } from './token.ts';

/** How many requests are under way at once while the past is made. */
const seedingConcurrency = 8;

/** Creates the signals of the past and sends what became of them. Repeated on the same day, it creates no signal twice. */
export async function seedPast(
  market: Producer,
  options: { seed: number; count: number; days: number; now: number; signal?: AbortSignal },
): Promise<void> {
  // The day instead of the moment, so that a repetition sends the same bodies under the same keys.
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
 * Creates a signal of a new token at each step, for ever. The tracker asks the market what becomes of the token. A step
 * that fails yields its error; the next step creates another signal.
 */
export async function* newSignals(
  market: Producer,
  { seed, life }: { readonly seed: number; readonly life: Life },
): AsyncGenerator<{ error?: unknown }> {
  // Another seed than that of the past, or the same signals would come again.
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
