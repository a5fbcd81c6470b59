import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../child-process.ts';
import { seedPast } from '../market/market.ts';
import { producer } from '../market/producer.ts';
import { type System, seconds } from './system.ts';
import { writeWhole } from './write-whole.ts';

const pastCount = 300;
const pastDays = 60;
/** Each run goes on with the next seed: reproducible, and no run repeats the one before. */
const seed = 1;

/** Makes the past once per data directory, then lets the simulated market trade. Returns how to stop it. */
export async function startMarket(options: {
  dataDir: string;
  system: System;
  ingestToken: string;
  report: (line: string) => void;
  signal: AbortSignal;
}): Promise<() => Promise<void>> {
  const { dataDir, system, ingestToken, report } = options;
  const stateFile = join(dataDir, 'market.json');
  const { runs } = existsSync(stateFile)
    ? (JSON.parse(readFileSync(stateFile, 'utf8')) as { runs: number })
    : { runs: 0 };
  if (runs === 0) {
    const startedAt = performance.now();
    report(`Making ${pastCount} past signals over ${pastDays} days`);
    const market = producer(system.signalsUrl, ingestToken);
    await seedPast(market, {
      seed,
      count: pastCount,
      days: pastDays,
      now: Date.now(),
      signal: options.signal,
    });
    report(`  made in ${seconds(startedAt)} s`);
  }
  writeWhole(stateFile, JSON.stringify({ runs: runs + 1 }));
  options.signal.throwIfAborted();
  const child = Child.start({
    name: 'market',
    command: [process.execPath, join(import.meta.dirname, '..', 'market', 'main.ts')],
    env: {
      PATH: process.env.PATH ?? '',
      SIGNALS_URL: system.signalsUrl,
      INGEST_TOKEN: ingestToken,
      MARKET_SEED: String(seed + runs),
    },
    logFile: join(dataDir, 'logs', 'market.log'),
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    parentDeathSignal: 'SIGTERM',
  });
  return () => child.stop(2_000);
}
