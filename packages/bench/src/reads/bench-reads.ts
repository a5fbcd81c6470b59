import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackingServices } from '@sigcast/local';
import { type FilledSystem, filledSystem } from '../filled-system.ts';
import { benchUnderWrites } from './bench-under-writes.ts';
import { deepest, firstPage, type Kind, kinds } from './kinds.ts';
import { everyMs, percentile, readSteadily } from './steady-reads.ts';

const usualSizes = [1_000, 100_000, 1_000_000];
/** The systems run one at a time, each so often. */
const rounds = 2;
const samplesEach = 400;
/** Processes just started are slower for some 1,500 requests: V8 compiles what it sees often. */
const warmUpEach = 100;

/**
 * Reads through the gateway with few and with many signals. A system of each size, of which one runs at a time and is
 * asked every kind of request in turn, 50 a second whether or not the ones before are answered. `under-writes` as the
 * first argument: see {@link benchUnderWrites}.
 */
export async function benchReads(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  if (args[0] === 'under-writes') return benchUnderWrites(scope, args.slice(1));
  const sizes = args.length > 0 ? args.map(Number) : usualSizes;
  if (!sizes.every((size) => Number.isInteger(size) && size >= 100)) {
    throw new Error('bench reads [under-writes] [SIZE…]: sizes are whole numbers from 100');
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
  await readSteadily(system, kinds, turns, ({ kind, path, ms, status }) => {
    if (status !== 200) throw new Error(`${path} answers ${status}`);
    samples.get(kind)?.push(ms);
  });
  return samples;
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
