import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../reads/steady-reads.ts';
import { newSignal } from './services.ts';

export type LagOptions = {
  readonly signalsUrl: string;
  readonly statsUrl: string;
  readonly producer: Readonly<Record<string, string>>;
  readonly client: Readonly<Record<string, string>>;
  readonly writesPerSecond: number;
  readonly durationMs: number;
};

export type Lag = {
  /** The rate that was reached. */
  readonly writesPerSecond: number;
  readonly samples: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
};

/** The pause between two requests for figures: at most this is added to a sample. Without it, they would slow the service down. */
const pollMs = 20;

/** One in this many writes is followed until the statistics show it. */
const writesPerProbe = 25;

/**
 * Writes at a steady rate, and follows some of the writes until the statistics show them: each of these raises one
 * signal's market cap, so that `best_roi` tells which of them has arrived.
 */
export async function measureLag(options: LagOptions): Promise<Lag> {
  const signals = new Pool(options.signalsUrl, { connections: 64 });
  const stats = new Pool(options.statsUrl, { connections: 1 });
  const send = async (method: 'POST' | 'PATCH', path: string, body: unknown) => {
    const { statusCode, body: answer } = await signals.request({
      method,
      path: `/internal/v1/signals${path}`,
      headers: { ...options.producer, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return JSON.parse(text) as { data: { id: string; performance: { roi: number } } };
  };
  const bestRoi = async () => {
    const { body } = await stats.request({ method: 'GET', path: '/v1/stats', headers: options.client });
    return ((await body.json()) as { data: { best_roi: number } }).data.best_roi;
  };

  // With this entry, the signal's return exceeds those that earlier measurements left behind.
  const mcapEntry = 1;
  const first = await bestRoi();
  const { data: probe } = await send('POST', '', newSignal(mcapEntry));
  const waiting: { roi: number; sentAt: number }[] = [];
  const lagsMs: number[] = [];
  let writing = true;
  const watch = async () => {
    while (writing || waiting.length > 0) {
      const best = await bestRoi();
      const now = performance.now();
      while (waiting[0] && waiting[0].roi <= best) lagsMs.push(now - (waiting.shift()?.sentAt ?? now));
      await delay(pollMs);
    }
  };
  const watching = watch();

  const startedAt = performance.now();
  const writes: Promise<unknown>[] = [];
  let lastProbe: Promise<unknown> = Promise.resolve();
  for (let n = 0; performance.now() - startedAt < options.durationMs; n++) {
    const dueAt = startedAt + (n / options.writesPerSecond) * 1_000;
    if (dueAt > performance.now()) await delay(dueAt - performance.now());
    if (n % writesPerProbe !== 0) {
      writes.push(send('POST', '', newSignal()));
      continue;
    }
    const roi = Math.ceil(first) + 100 * (1 + n / writesPerProbe);
    // One after the other, so that a later probe never overtakes an earlier one.
    lastProbe = lastProbe.then(async () => {
      const sentAt = performance.now();
      await send('PATCH', `/${probe.id}`, { metrics: { mcap_current: mcapEntry * (1 + roi / 100) } });
      waiting.push({ roi, sentAt });
    });
    writes.push(lastProbe);
  }
  await Promise.all(writes);
  const tookMs = performance.now() - startedAt;
  writing = false;
  await watching;
  await Promise.all([signals.close(), stats.close()]);
  return {
    writesPerSecond: (writes.length / tookMs) * 1_000,
    samples: lagsMs.length,
    p50Ms: percentile(lagsMs, 0.5),
    p95Ms: percentile(lagsMs, 0.95),
    maxMs: percentile(lagsMs, 1),
  };
}
