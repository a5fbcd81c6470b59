import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBackingServices } from '@sigcast/local';
import { type FilledSystem, filledSystem } from '../filled-system.ts';

const usualSizes = [1_000, 100_000, 1_000_000];
const everyMs = 20;
/** The systems run one at a time, each so often. */
const rounds = 2;
const samplesEach = 400;
/** Processes just started are slower for some 1,500 requests: V8 compiles what it sees often. */
const warmUpEach = 100;

type Kind = {
  readonly name: string;
  /** The most that p99 may be at the largest size, in milliseconds. */
  readonly p99BarMs: number;
  readonly path: (system: FilledSystem, turn: number) => string;
};

const list = (name: string, query: (turn: number, system: FilledSystem) => string): Kind => ({
  name: `list ${name}`,
  p99BarMs: 20,
  path: (system, turn) => `/v1/signals?${query(turn, system)}`,
});
const stats = (query: string): Kind => ({
  name: `stats ${query}`,
  p99BarMs: 10,
  path: () => `/v1/stats?${query}`,
});
/** Another stretch of time each time, so that nothing can remember what is there. */
const someTimeAgo = (days: number, turn: number) =>
  new Date(Date.now() - days * 86_400_000 + (turn % 1_000) * 361_007).toISOString();

const firstPage = list('first page', () => 'limit=20');
const deepest = list('deepest cursor', (_turn, { deepestCursor }) => `limit=20&cursor=${deepestCursor}`);
const kinds: readonly Kind[] = [
  firstPage,
  deepest,
  list('type', () => 'type=wallet'),
  list('status', () => 'status=winner'),
  list('type and status', () => 'type=7d&status=rugged'),
  list('types and statuses', () => 'type=new,premium&status=winner,dead'),
  list('since', (turn) => `since=${someTimeAgo(14, turn)}`),
  list('type since', (turn) => `type=3d&since=${someTimeAgo(40, turn)}`),
  list('page 10', () => 'limit=100&page=10'),
  {
    name: 'detail',
    p99BarMs: 10,
    path: ({ ids }, turn) => `/v1/signals/${ids[(turn * 7_919) % ids.length] ?? ''}`,
  },
  ...['24h', '7d', '30d', 'all'].map((period) => stats(`period=${period}`)),
  stats('period=7d&type=premium'),
];

/**
 * Reads through the gateway with few and with many signals. A system of each size, of which one runs at a time and is
 * asked every kind of request in turn, 50 a second whether or not the ones before are answered.
 */
export async function benchReads(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : usualSizes;
  if (!sizes.every((size) => Number.isInteger(size) && size >= 100)) {
    throw new Error('bench reads [SIZE…]: sizes are whole numbers from 100');
  }
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const dataDir = await mkdtemp(join(tmpdir(), 'sigcast-bench-'));
  const stores = await startBackingServices({ dataDir, env: process.env, ephemeral: true, report: say });
  scope.defer(() => stores.stop());
  const systems: FilledSystem[] = [];
  for (const size of sizes) {
    say(`filling a system with ${size} signals`);
    systems.push(await filledSystem(scope, { stores, size, dataDir: join(dataDir, 'systems'), say }));
  }

  say(`${rounds} rounds of ${samplesEach} requests of each kind to each system, one every ${everyMs} ms`);
  const samples: Samples = new Map(
    kinds.map((kind) => [kind, new Map(systems.map((one) => [one, [] as number[]]))]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const system of systems) {
      await system.start();
      await ask(system, warmUpEach);
      for (const [kind, latenciesMs] of await ask(system, samplesEach)) {
        samples
          .get(kind)
          ?.get(system)
          ?.push(...latenciesMs);
      }
      await system.stop();
    }
  }
  report(systems, samples, say);
}

type Samples = ReadonlyMap<Kind, ReadonlyMap<FilledSystem, number[]>>;

async function ask(system: FilledSystem, turns: number): Promise<ReadonlyMap<Kind, readonly number[]>> {
  const samples = new Map(kinds.map((kind) => [kind, [] as number[]]));
  const answers: Promise<void>[] = [];
  let failure: Error | undefined;
  let dueAt = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [kind, latenciesMs] of samples) {
      dueAt += everyMs;
      await delay(Math.max(0, dueAt - performance.now()));
      if (failure !== undefined) throw failure;
      const answer = timed(system, kind.path(system, turn)).then(
        (ms) => void latenciesMs.push(ms),
        (error: unknown) => {
          failure = error as Error;
        },
      );
      answers.push(answer);
    }
  }
  await Promise.all(answers);
  if (failure !== undefined) throw failure;
  return samples;
}

async function timed(system: FilledSystem, path: string): Promise<number> {
  const startedAt = performance.now();
  const { status } = await system.get(path);
  if (status !== 200) throw new Error(`${path} answers ${status}`);
  return performance.now() - startedAt;
}

function report(systems: readonly FilledSystem[], samples: Samples, say: (line: string) => void): void {
  const of = (kind: Kind, system: FilledSystem | undefined, share: number) =>
    percentile((system && samples.get(kind)?.get(system)) ?? [], share);
  const [smallest, largest] = [systems[0], systems.at(-1)];
  say('');
  say(
    `${'p50 / p99 ms'.padEnd(26)}${systems.map(({ size }) => String(size).padStart(18)).join('')}   p50 ratio`,
  );
  for (const kind of kinds) {
    const cells = systems.map((system) =>
      `${of(kind, system, 0.5).toFixed(1)} / ${of(kind, system, 0.99).toFixed(1)}`.padStart(18),
    );
    const ratio = of(kind, largest, 0.5) / of(kind, smallest, 0.5);
    say(`${kind.name.padEnd(26)}${cells.join('')}${ratio.toFixed(2).padStart(12)}`);
  }
  say('');
  const bar = (what: string, passes: boolean) => say(`${passes ? 'PASS ' : 'SHORT'}  ${what}`);
  for (const kind of kinds) {
    const p99 = of(kind, largest, 0.99);
    bar(`${kind.name}: p99 ${p99.toFixed(1)} ms (wanted ≤ ${kind.p99BarMs})`, p99 <= kind.p99BarMs);
  }
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const deep = of(deepest, largest, share) / of(firstPage, largest, share);
    bar(`deepest cursor / first page, ${name}: ${deep.toFixed(2)} (wanted ≤ 1.30)`, deep <= 1.3);
    const growth = kinds.map((kind) => of(kind, largest, share) / of(kind, smallest, share));
    const worst = Math.max(...growth);
    const where = kinds[growth.indexOf(worst)]?.name ?? '';
    bar(`growth of ${name}: at most ${worst.toFixed(2)}, of ${where} (wanted ≤ 2)`, worst <= 2);
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
