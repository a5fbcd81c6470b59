import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackingServices, startBackingServices } from '@sigcast/local';
import { say } from './report.ts';

/**
 * Starts stores and a broker until `scope` ends, and makes a folder for data and logs.
 * @param options `env` may name stores to use instead (`MONGODB_URI` and the like). With `{}`, the stores are the bench's own,
 *   and nobody else's load on them is measured.
 */
export async function benchStores(
  scope: AsyncDisposableStack,
  { env = process.env, report = say }: { env?: NodeJS.ProcessEnv; report?: (line: string) => void } = {},
): Promise<{ readonly dataDir: string; readonly backing: BackingServices }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sigcast-bench-'));
  const backing = await startBackingServices({ dataDir, env, ephemeral: true, report });
  scope.defer(() => backing.stop());
  return { dataDir, backing };
}
