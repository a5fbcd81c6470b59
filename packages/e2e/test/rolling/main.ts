// Usage: npx pnpm@12 test:rolling [rounds] [names|lists]
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackingServices } from '@sigcast/local';
import { testStack } from '@sigcast/testing';
import { runRolling } from './run.ts';

const [rounds = '3', only] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
// Child processes alone do not keep this process alive.
const alive = setInterval(() => undefined, 60_000);
await using backing = await startBackingServices({
  dataDir: mkdtempSync(join(tmpdir(), 'sigcast-rolling-')),
  env: process.env,
  ephemeral: true,
  report: say,
});
for (const behind of ['names', 'lists'] as const) {
  if (only !== undefined && only !== behind) continue;
  await using stack = testStack(backing);
  const report = await runRolling(
    {
      behind,
      rounds: Number(rounds),
      together: false,
      shutdownDelayMs: 5_000,
      report: say,
      getsPerSecond: 100,
      patchesPerSecond: 10,
      eventsPerSecond: 5,
    },
    stack,
  );
  say(JSON.stringify({ behind, ...report }, undefined, 2));
  const wrong = [report.failed, report.lost, report.doubled, report.lostFromStream, report.doubledInStream];
  if ([...wrong, report.badEnds].some((found) => found.length > 0)) process.exitCode = 1;
}
clearInterval(alive);
