import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { benchStores } from '../bench-stores.ts';
import { bar, say } from '../report.ts';
import { runLoad } from '../run-load.ts';
import { type Contender, startGateway, startUpstream } from './contenders.ts';

const connections = 20;
const phaseMs = 5_000;
/** A limit far below the load, so that the admitted requests show whether counting is exact. */
const perMinute = 600;

/** Kills Redis under load and starts it again: how long requests take, whether any fails, when counting is exact again. */
export async function benchOutage(scope: AsyncDisposableStack): Promise<void> {
  // A Redis of the bench's own, even if the environment names one, because it is killed.
  const { REDIS_URL: _others, ...env } = process.env;
  const { backing } = await benchStores(scope, { env });
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
      if (answer.headers.get('x-ratelimit-degraded') !== null)
        throw new Error('the gateway still counts for itself');
    },
    { everyMs: 10 },
  );
  const backMs = performance.now() - startedAt;
  const exact = await load(limited, 3_000);
  const admitted = exact.statuses['200'] ?? 0;
  say(
    `after the start of Redis      decides again after ${backMs.toFixed(0)} ms; then admits ${admitted} of ${perMinute}`,
  );

  bar('no 5xx', killed.serverErrors + away.serverErrors === 0);
  bar(
    `p99 under 100 ms: ${Math.max(killed.p99Ms, away.p99Ms).toFixed(1)} ms`,
    killed.p99Ms < 100 && away.p99Ms < 100,
  );
  // Slightly more are admitted if a minute ends in between.
  bar('exact again within 2 s', backMs < 2_000 && admitted >= perMinute && admitted <= perMinute * 1.05);
}
