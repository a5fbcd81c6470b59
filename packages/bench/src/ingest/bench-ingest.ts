import { eventually, testStack } from '@sigcast/testing';
import { benchStores } from '../bench-stores.ts';
import { atLeast, bar, say } from '../report.ts';
import { type LoadResult, median, runLoad } from '../run-load.ts';
import { measureLag } from './lag.ts';
import { ingestServices, newSignal, publishedEvents, type Running } from './services.ts';

const rounds = 3;
const postMs = 2_000;
const connectionCounts = [1, 8, 32] as const;
const importLines = 20_000;
const backlogEvents = 10_000;
const writesPerSecond = 500;
const lagMs = 10_000;

/** Taking signals in: one by one, by import, how fast their events leave, and when figures follow. */
export async function benchIngest(scope: AsyncDisposableStack): Promise<void> {
  const { backing } = await benchStores(scope);
  const stack = scope.use(testStack(backing));
  const services = ingestServices(scope, stack);
  const published = await publishedEvents(scope, stack);

  say(`One signals service without statistics; medians of ${rounds} rounds`);
  const signals = await services.signals();
  const allHaveLeft = () =>
    eventually(async () => expectStill(published), { timeoutMs: 120_000, everyMs: 500 });
  for (const connections of connectionCounts) {
    const samples: LoadResult[] = [];
    for (let round = 0; round < rounds; round++) {
      samples.push(
        await runLoad({
          url: `${signals.url}/internal/v1/signals`,
          headers: services.producer,
          body: JSON.stringify(newSignal()),
          connections,
          durationMs: postMs,
        }),
      );
    }
    const of = (pick: (sample: LoadResult) => number) => median(samples.map(pick));
    say(
      `POST one, ${String(connections).padStart(2)} connections  ${of((s) => s.perSecond)
        .toFixed(0)
        .padStart(6)} signals/s` +
        `   p50 ${of((s) => s.p50Ms).toFixed(1)} ms   p99 ${of((s) => s.p99Ms).toFixed(1)} ms   ` +
        [...new Set(samples.flatMap((sample) => Object.keys(sample.statuses)))].join(' '),
    );
    await allHaveLeft();
  }

  const lines = `${JSON.stringify(newSignal())}\n`.repeat(importLines);
  const perSecond: number[] = [];
  const leaving: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await published.clear();
    const startedAt = performance.now();
    await importAll(signals, services.producer, lines);
    perSecond.push(importLines / ((performance.now() - startedAt) / 1_000));
    leaving.push(await eventsPerSecond(published, importLines, startedAt));
  }
  say(`import of ${importLines} lines    ${median(perSecond).toFixed(0).padStart(6)} signals/s`);
  say(`  their events left at   ${median(leaving).toFixed(0).padStart(6)} events/s, import included`);

  await signals.process.kill('SIGTERM');
  const relayed: number[] = [];
  for (const replicas of [1, 2]) {
    const withoutBroker = await services.signals({ AMQP_URL: 'amqp://127.0.0.1:1' });
    await importAll(
      withoutBroker,
      services.producer,
      lines.slice(0, (lines.length / importLines) * backlogEvents),
    );
    await withoutBroker.process.kill('SIGKILL');
    await published.clear();
    const started = await Promise.all(Array.from({ length: replicas }, () => services.signals()));
    const rate = await eventsPerSecond(published, backlogEvents, performance.now());
    const sent = await allHaveLeft();
    relayed.push(rate);
    say(
      `backlog of ${backlogEvents}, ${replicas} relay${replicas > 1 ? 's' : ' '}   ${rate.toFixed(0).padStart(6)} events/s, ` +
        `${sent - backlogEvents} of them sent more than once`,
    );
    await Promise.all(started.map((each) => each.process.kill('SIGTERM')));
  }

  // The queue of the statistics holds the events of the rounds above, but only new writes are measured.
  await published.clear();
  const both = { signals: await services.signals(), stats: await services.stats() };
  const lag = await measureLag({
    signalsUrl: both.signals.url,
    statsUrl: both.stats.url,
    producer: services.producer,
    client: services.client,
    writesPerSecond,
    durationMs: lagMs,
  });
  say(
    `${lag.writesPerSecond.toFixed(0)} writes/s for ${lagMs / 1_000} s: a write shows in /v1/stats after p50 ${lag.p50Ms.toFixed(0)} ms, ` +
      `p95 ${lag.p95Ms.toFixed(0)} ms, max ${lag.maxMs.toFixed(0)} ms (${lag.samples} samples, from sending the write)`,
  );

  say('');
  atLeast('import, signals/s', median(perSecond), { bound: 3_000, digits: 0 });
  atLeast('relay, events/s', Math.min(...relayed), { bound: 1_000, digits: 0 });
  const keptPace = lag.writesPerSecond >= 0.95 * writesPerSecond;
  bar(
    `p95 from write to statistics at ${writesPerSecond}/s, ms: ${lag.p95Ms.toFixed(0)} (wanted ≤ 1000)`,
    keptPace && lag.p95Ms <= 1_000,
  );
}

type Published = Awaited<ReturnType<typeof publishedEvents>>;

async function importAll({ url }: Running, headers: Readonly<Record<string, string>>, lines: string) {
  const response = await fetch(`${url}/internal/v1/signals/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: lines,
  });
  const { data } = (await response.json()) as { data: { received: number; created: number } };
  if (data.created !== data.received) throw new Error(`not all was imported: ${JSON.stringify(data)}`);
}

/** Events a second until `wanted` have left. */
async function eventsPerSecond(published: Published, wanted: number, startedAt: number): Promise<number> {
  await eventually(
    async () => {
      if ((await published.count()) < wanted) throw new Error('not all events have left');
    },
    { timeoutMs: 120_000, everyMs: 20 },
  );
  return wanted / ((performance.now() - startedAt) / 1_000);
}

/** The number of events that have left, once no more are leaving. */
async function expectStill(published: Published): Promise<number> {
  const before = await published.count();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const after = await published.count();
  if (after !== before) throw new Error('events are still leaving');
  return after;
}
