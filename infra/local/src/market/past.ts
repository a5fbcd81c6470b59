import { existsSync, readFileSync } from 'node:fs';
import { secondsSince } from '../elapsed.ts';
import { writeWhole } from '../system/write-whole.ts';
import { seedPast } from './market.ts';
import type { Producer } from './producer.ts';

const pastCount = 300;
const pastDays = 60;
/** What the first run makes, for people. */
export const pastText = `${pastCount} signals of the past ${pastDays} days`;

/** The seed of the next run, from 1: runs are reproducible, and none repeats another one. `stateFile` counts the runs. */
export function nextSeed(stateFile: string): number {
  if (!existsSync(stateFile)) return 1;
  return (JSON.parse(readFileSync(stateFile, 'utf8')) as { runs: number }).runs + 1;
}

/** Creates the signals of the past if this is the first run, and counts the run. */
export async function makePast(
  market: Producer,
  { stateFile, report }: { readonly stateFile: string; readonly report: (line: string) => void },
): Promise<void> {
  const seed = nextSeed(stateFile);
  if (seed === 1) {
    const startedAt = performance.now();
    await seedPast(market, { seed, count: pastCount, days: pastDays, now: Date.now() });
    report(`${pastText} created in ${secondsSince(startedAt)} s`);
  }
  writeWhole(stateFile, JSON.stringify({ runs: seed }));
}
