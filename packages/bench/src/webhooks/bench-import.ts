import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { cpuMs } from '../run-load.ts';
import { quantile, type Rig, startRig } from './rig.ts';

const linesUnlessGiven = 20_000;
const livePerSecond = 20;
/** Long enough for a p99 that more than a handful of samples decide. */
const quietMs = 60_000;
const warmUpMs = 10_000;

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * What an import does to everybody's live events: signals written one by one for one subscriber, without and with an
 * import for another subscriber under way, from its first line to its last delivery. In between nothing is imported.
 */
export async function benchImport(scope: AsyncDisposableStack, [given]: readonly string[]): Promise<void> {
  const lines = given === undefined ? linesUnlessGiven : Number(given);
  if (!Number.isInteger(lines) || lines < 1) throw new Error('LINES must be a whole number of at least 1');
  const rig = await startRig(scope, say);
  await rig.subscribe(1, { types: ['premium'] });
  await rig.subscribe(2, { types: ['new'] });
  const receivers = new Receivers(rig);

  say('warming up');
  await rig.import(
    Array.from({ length: 500 }, (_, n) => -1 - n),
    'new',
  );
  await liveWhile(rig, receivers, () => delay(warmUpMs));
  await receivers.imported(500);

  const without = await liveWhile(rig, receivers, () => delay(quietMs));
  say(`without an import: ${describe(without)}`);
  const worker = rig.system.processes['webhooks-worker'].pid ?? 0;
  const [startedAt, cpu] = [performance.now(), cpuMs(worker)];
  const secondsSince = () => ((performance.now() - startedAt) / 1_000).toFixed(1);
  let taken = 0;
  const during = await liveWhile(rig, receivers, async () => {
    await rig.import(
      Array.from({ length: lines }, (_, n) => n),
      'new',
    );
    taken = receivers.written;
    say(`${lines} lines taken after ${secondsSince()} s`);
    await receivers.imported(500 + lines);
    say(`all of them delivered after ${secondsSince()} s`);
  });
  const busy = (cpuMs(worker) - cpu) / (performance.now() - startedAt);
  say(`worker: ${(100 * busy).toFixed(0)} % of a core`);
  without.push(...(await liveWhile(rig, receivers, () => delay(quietMs))));
  const first = during.findIndex(({ number }) => number >= taken);
  const whileTaken = first === -1 ? during : during.slice(0, first);
  say(`while its lines are taken: ${describe(whileTaken)}`);
  say(`without an import: ${describe(without)}`);
  say(`with an import:    ${describe(during)}`);
  const p99 = (ways: readonly Way[]) =>
    quantile(
      ways.map(({ ms }) => ms),
      0.99,
    );
  const ratio = p99(during) / p99(without);
  say(`${ratio <= 1.5 ? 'PASS ' : 'SHORT'}  p99 with / without: ${ratio.toFixed(2)} (wanted ≤ 1.50)`);
}

/** A live signal's way, from its write being sent to the delivery's first byte. */
type Way = { readonly number: number; readonly ms: number };

function describe(ways: readonly Way[]): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) =>
    quantile(
      ways.map(({ ms }) => ms),
      share,
    ).toFixed(0),
  );
  return `${ways.length} live events, p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms`;
}

/** `/0` gets the live signals, `/1` the imported ones. */
class Receivers {
  readonly #sentAt = new Map<number, number>();
  readonly #ways = new Map<number, number>();
  readonly #imported = new Set<number>();

  constructor(rig: Rig) {
    rig.onWebhook = ({ path, signal, at }, response) => {
      response.writeHead(200).end();
      if (path === '/1') this.#imported.add(signal);
      else if (!this.#ways.has(signal)) this.#ways.set(signal, at - (this.#sentAt.get(signal) ?? Number.NaN));
    };
  }

  /** Live signals written so far. */
  get written(): number {
    return this.#sentAt.size;
  }

  /** A number for a signal that is written now. */
  next(): number {
    const number = this.#sentAt.size;
    this.#sentAt.set(number, performance.now());
    return number;
  }

  /** The ways of the live signals from this number on, once all have arrived. */
  async waysFrom(first: number): Promise<Way[]> {
    await eventually(() => reached(this.#ways.size, this.#sentAt.size), { timeoutMs: 300_000 });
    return [...this.#ways].map(([number, ms]) => ({ number, ms })).filter(({ number }) => number >= first);
  }

  /** Resolves when so many imported signals have arrived. */
  async imported(count: number): Promise<void> {
    await eventually(() => reached(this.#imported.size, count), { timeoutMs: 3_600_000 });
  }
}

/** Writes live signals until something else is done, whatever becomes of those before. */
async function liveWhile(rig: Rig, receivers: Receivers, other: () => Promise<unknown>): Promise<Way[]> {
  const first = receivers.written;
  let isDone = false;
  const done = other().finally(() => {
    isDone = true;
  });
  const writes: Promise<void>[] = [];
  for (let at = performance.now(); !isDone; at += 1_000 / livePerSecond) {
    await delay(Math.max(0, at - performance.now()));
    writes.push(rig.write([receivers.next()], 'premium'));
  }
  await Promise.all([done, ...writes]);
  return receivers.waysFrom(first);
}

function reached(count: number, wanted: number): void {
  if (count < wanted) throw new Error(`${count} of ${wanted}`);
}
