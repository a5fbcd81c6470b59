import { statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../debian/run.ts';
import { secondsSince } from '../elapsed.ts';
import { MachineLock } from '../machine-lock.ts';
import type { Report } from '../report.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const dashboard = join(root, 'services', 'dashboard');

/**
 * Builds the dashboard, unless the last build is of the same sources. One process builds at a time.
 * @returns the folder of the built dashboard, for the gateway's DASHBOARD_DIR.
 * @throws with the build's last lines when it fails.
 */
export async function buildDashboard(options: {
  readonly logFile: string;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
}): Promise<string> {
  const dir = join(dashboard, 'dist');
  const waiting = () => options.report('  waiting for another process that builds the dashboard');
  await using _lock = await MachineLock.acquire(`build ${dir}`, waiting, options.signal);
  const builtAt = () => statSync(join(dir, 'pages.json'), { throwIfNoEntry: false })?.mtimeMs;
  const before = builtAt();
  const startedAt = performance.now();
  const command = [process.execPath, join(dashboard, 'build.ts')];
  await run({ ...options, what: 'building the dashboard', command });
  options.report(
    builtAt() === before
      ? '  the dashboard has not changed since its last build'
      : `  dashboard built in ${secondsSince(startedAt)} s`,
  );
  return dir;
}
