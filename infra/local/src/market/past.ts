import { existsSync, readFileSync } from 'node:fs';
import { secondsSince } from '../elapsed.ts';
import { writeWhole } from '../system/write-whole.ts';
import { seedPast } from './market.ts';
import type { Producer } from './producer.ts';

const pastCount = 300;
const pastDays = 60;
/** Each run has the next seed: runs are reproducible, and none repeats another one. */
const firstSeed = 1;

/**
 * Creates the signals of the past at the first run. `stateFile` counts the runs.
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
    report(`Creating ${pastCount} signals of the past ${pastDays} days`);
    await seedPast(market, {
      ...{ seed: firstSeed, count: pastCount, days: pastDays, now: Date.now() },
      ...(signal ? { signal } : {}),
    });
    report(`  created in ${secondsSince(startedAt)} s`);
  }
  writeWhole(stateFile, JSON.stringify({ runs: runs + 1 }));
  return firstSeed + runs;
}
