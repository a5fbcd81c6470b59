import { existsSync, readFileSync } from 'node:fs';
import { writeWhole } from '../system/write-whole.ts';
import { seedPast } from './market.ts';
import type { Producer } from './producer.ts';

const pastCount = 300;
const pastDays = 60;
/** Each run goes on with the next seed: reproducible, and no run repeats the one before. */
const firstSeed = 1;

/**
 * Makes the past at the first run. `stateFile` counts the runs.
 * @returns the seed of this run.
 */
export async function makePast(
  market: Producer,
  options: { stateFile: string; report: (line: string) => void; signal?: AbortSignal },
): Promise<number> {
  const { stateFile, report, signal } = options;
  const { runs } = existsSync(stateFile)
    ? (JSON.parse(readFileSync(stateFile, 'utf8')) as { runs: number })
    : { runs: 0 };
  if (runs === 0) {
    const startedAt = performance.now();
    report(`Making ${pastCount} past signals over ${pastDays} days`);
    await seedPast(market, {
      ...{ seed: firstSeed, count: pastCount, days: pastDays, now: Date.now() },
      ...(signal ? { signal } : {}),
    });
    report(`  made in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  }
  writeWhole(stateFile, JSON.stringify({ runs: runs + 1 }));
  return firstSeed + runs;
}
