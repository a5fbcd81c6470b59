import { seededRandom } from '@sigcast/runtime';
import type { Producer } from './producer.ts';
import { pastSignals } from './script.ts';

/** How many requests are under way at once while the past is made. */
const seedingConcurrency = 8;
/** The most observations in a request. One request for each would take most of the time of a first start. */
const observationsAtOnce = 100;

/** Creates the signals of the past and sends what became of them. Repeated on the same day, it creates no signal twice. */
export async function seedPast(
  market: Producer,
  options: { seed: number; count: number; days: number; now: number },
): Promise<void> {
  // The day instead of the moment, so that a repetition sends the same bodies under the same keys.
  const now = Math.floor(options.now / 86_400_000) * 86_400_000;
  const past = pastSignals(seededRandom(options.seed), { ...options, now });
  const queue = past.entries();
  const ids: string[] = [];
  const work = async () => {
    for (const [index, { signal }] of queue)
      ids[index] = await market.create(signal, `market-${options.seed}-${now}-${index}`);
  };
  await Promise.all(Array.from({ length: seedingConcurrency }, work));
  // A request has one observation of a signal at most: all first moves, then all second ones.
  for (const round of [0, 1]) {
    const moves = past.flatMap(({ moves }, index) => {
      const [id, move] = [ids[index], moves[round]];
      return id !== undefined && move ? [{ id, ...move }] : [];
    });
    for (let from = 0; from < moves.length; from += observationsAtOnce)
      await market.observe(moves.slice(from, from + observationsAtOnce));
  }
}
