import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBackingServices } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { runLoad } from '../run-load.ts';
import { type Contender, startGateway, startUpstream } from './contenders.ts';

const connections = 20;
const phaseMs = 5_000;
/** Far below what the load would make of it: only so one sees whether counting is exact. */
const perMinute = 600;

/** Redis killed in the middle of load, and started again. */
export async function benchOutage(scope: AsyncDisposableStack): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  // A Redis of its own, whatever the environment names: it is going to be killed.
  const { REDIS_URL: _others, ...env } = process.env;
  const dataDir = await mkdtemp(join(tmpdir(), 'sigcast-bench-'));
  const backing = await startBackingServices({ dataDir, env, ephemeral: true, report: say });
  scope.defer(() => backing.stop());
  const { origin: upstream } = await startUpstream(scope);
  const { accepting: plentiful, limited } = await startGateway(scope, backing, {
    upstream,
    limitedTo: perMinute,
  });
  const load = ({ url, headers }: Contender, durationMs = phaseMs) =>
    runLoad({ url, headers, connections, durationMs });
  await load(plentiful);
  const phase = async (name: string) => {
    const result = await load(plentiful);
    const failed = Object.entries(result.statuses).filter(([status]) => Number(status) >= 500);
    say(
      `${name.padEnd(28)} ${result.perSecond.toFixed(0).padStart(6)} req/s  p50 ${result.p50Ms.toFixed(1)} ms  ` +
        `p99 ${result.p99Ms.toFixed(1)} ms  max ${result.maxMs.toFixed(0)} ms  ${JSON.stringify(result.statuses)}`,
    );
    return { ...result, serverErrors: failed.length };
  };
  await phase('before');

  const during = phase('Redis killed after 1 s');
  await delay(1_000);
  await backing.redis.kill();
  const killed = await during;
  const away = await phase('Redis away');

  await backing.redis.start();
  const startedAt = performance.now();
  await eventually(
    async () => {
      const answer = await fetch(plentiful.url, { headers: plentiful.headers });
      await answer.arrayBuffer();
      if (answer.headers.get('x-ratelimit-degraded') !== null) throw new Error('still counting for itself');
    },
    { everyMs: 10 },
  );
  const backMs = performance.now() - startedAt;
  const exact = await load(limited, 3_000);
  const admitted = exact.statuses['200'] ?? 0;
  say(
    `after the start of Redis      decides again after ${backMs.toFixed(0)} ms; then admits ${admitted} of ${perMinute}`,
  );

  const bar = (what: string, passes: boolean) => say(`${passes ? 'PASS ' : 'SHORT'}  ${what}`);
  bar('no 5xx', killed.serverErrors + away.serverErrors === 0);
  bar(
    `p99 under 100 ms: ${Math.max(killed.p99Ms, away.p99Ms).toFixed(1)} ms`,
    killed.p99Ms < 100 && away.p99Ms < 100,
  );
  // A little more where a minute ends in between: that part of the minute before which has passed.
  bar('exact again within 2 s', backMs < 2_000 && admitted >= perMinute && admitted <= perMinute * 1.05);
}
