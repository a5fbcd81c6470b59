import { join } from 'node:path';
import { Child } from '../child-process.ts';
import { makePast } from '../market/past.ts';
import { producer } from '../market/producer.ts';
import type { System } from './system.ts';

/** Makes the past once per data directory, then lets the simulated market trade. Returns how to stop it. */
export async function startMarket(options: {
  dataDir: string;
  system: System;
  ingestToken: string;
  report: (line: string) => void;
  signal: AbortSignal;
}): Promise<() => Promise<void>> {
  const { dataDir, system, ingestToken, report, signal } = options;
  const stateFile = join(dataDir, 'market.json');
  const seed = await makePast(producer(system.signalsUrl, ingestToken), { stateFile, report, signal });
  signal.throwIfAborted();
  const child = Child.start({
    name: 'market',
    command: [process.execPath, join(import.meta.dirname, '..', 'market', 'main.ts')],
    env: {
      PATH: process.env.PATH ?? '',
      SIGNALS_URL: system.signalsUrl,
      INGEST_TOKEN: ingestToken,
      MARKET_SEED: String(seed),
    },
    logFile: join(dataDir, 'logs', 'market.log'),
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    parentDeathSignal: 'SIGTERM',
  });
  return () => child.stop(2_000);
}
