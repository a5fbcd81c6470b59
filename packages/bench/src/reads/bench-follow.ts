import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBackingServices, startSystem } from '@sigcast/local';
import { testStack } from '@sigcast/testing';
import { Pool } from 'undici';
import { newSignal } from '../ingest/services.ts';
import { openAccess } from '../open-access.ts';

const writesPerSecond = 120;
const storedBefore = 2_000;
const followS = 20;

/**
 * `bench follow [SECONDS]`: signals arrive all the time. First a client follows the list's cursors again and again: does
 * it miss any, does it see any twice? Then the statistics' service is gone for so many seconds (60 unless given): how
 * long after its start are its figures those of the list again?
 */
export async function benchFollow(scope: AsyncDisposableStack, [awayS = '60']: readonly string[]) {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const dataDir = await mkdtemp(join(tmpdir(), 'sigcast-bench-'));
  const backing = await startBackingServices({ dataDir, env: process.env, ephemeral: true, report: say });
  scope.defer(() => backing.stop());
  const stores = scope.use(testStack(backing));
  for (const name of ['gateway', 'signals', 'stats', 'webhooks', 'tracker']) stores.database(name);
  const system = scope.use(await startSystem({ stores, dataDir, report: () => undefined }));
  const { api, write } = await clients(scope, system);

  const stored = new Set<string>();
  await Promise.all(Array.from({ length: storedBefore }, async () => stored.add(await write())));
  const during = await startWriting(write, stored);
  let [walks, missed, repeated] = [0, 0, 0];
  for (const endAt = performance.now() + followS * 1_000; performance.now() < endAt; walks++) {
    const before = [...stored];
    const seen = await followCursors(api);
    const distinct = new Set(seen);
    repeated += seen.length - distinct.size;
    missed += before.filter((id) => !distinct.has(id)).length;
  }
  const followed = await during.stop();
  say(
    `${followed.perSecond.toFixed(0)} signals/s arrived (${followed.written}); ${walks} walks over all cursors: ` +
      `${missed} missed, ${repeated} repeated`,
  );

  const away = await startWriting(write, stored);
  await system.processes.stats.kill('SIGKILL');
  await delay(Number(awayS) * 1_000);
  const startedAt = performance.now();
  await system.processes.stats.start();
  const missedWrites = await away.stop();
  const stoppedAt = performance.now();
  for (;;) {
    const { data } = (await api('/v1/stats')) as { data: { total_signals: number } };
    if (data.total_signals === stored.size) break;
    await delay(20);
  }
  const [caughtUpS, afterS] = [startedAt, stoppedAt].map((at) => (performance.now() - at) / 1_000);
  say(
    `statistics away for ${awayS} s at ${missedWrites.perSecond.toFixed(0)} writes/s (${missedWrites.written}): exact ` +
      `${caughtUpS?.toFixed(1)} s after they were started, ${afterS?.toFixed(1)} s after the last write`,
  );
  const passes = missed + repeated === 0 && followed.perSecond >= 100 && walks > 0;
  say(
    `${passes ? 'PASS ' : 'SHORT'}  missed and repeated: ${missed + repeated} (wanted 0, at ≥ 100 signals/s)`,
  );
}

type System = Awaited<ReturnType<typeof startSystem>>;

/** A client of the API without limits, and a producer. */
async function clients(scope: AsyncDisposableStack, system: System) {
  const { key, token } = await openAccess(system);
  const gateway = new Pool(system.gatewayUrl, { connections: 4 });
  const signals = new Pool(system.signalsUrl, { connections: 16 });
  scope.defer(() => Promise.all([gateway.destroy(), signals.destroy()]).then(() => undefined));
  const ask = async (pool: Pool, path: string, bearer: string, body?: object) => {
    const answer = await pool.request({
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 300)
      throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`);
    return answer.body.json();
  };
  return {
    api: (path: string) => ask(gateway, path, key),
    write: async () => {
      const { data } = (await ask(signals, '/internal/v1/signals', token, newSignal())) as {
        data: { id: string };
      };
      return data.id;
    },
  };
}

/** Writes at a steady rate until stopped; what is stored is noted. */
async function startWriting(write: () => Promise<string>, stored: Set<string>) {
  const startedAt = performance.now();
  const writes: Promise<unknown>[] = [];
  let stopping = false;
  const run = (async () => {
    for (let n = 0; !stopping; n++) {
      await delay(Math.max(0, startedAt + (n / writesPerSecond) * 1_000 - performance.now()));
      writes.push(write().then((id) => stored.add(id)));
    }
  })();
  return {
    stop: async () => {
      stopping = true;
      await run;
      await Promise.all(writes);
      const tookS = (performance.now() - startedAt) / 1_000;
      return { written: writes.length, perSecond: writes.length / tookS };
    },
  };
}

async function followCursors(api: (path: string) => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, meta } = (await api(`/v1/signals?limit=100${cursor && `&cursor=${cursor}`}`)) as {
      data: { id: string }[];
      meta: { next_cursor: string | null };
    };
    seen.push(...data.map(({ id }) => id));
    cursor = meta.next_cursor;
  }
  return seen;
}
