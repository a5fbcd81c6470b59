import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of the bench. It prints tables and bars. */
export type Bench = {
  /** The parameters of its command line, with what they are unless given. */
  readonly parameters: Readonly<Record<string, string | number>>;
  run(scope: AsyncDisposableStack, given: Given): Promise<void>;
};

/** The parameters by name. */
export type Given = {
  /** @throws when it is no whole number from 1. */
  number(name: string): number;
  text(name: string): string;
};

/** Prints a line of the report. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints rows of equal members as a table, numbers with at most two decimals. */
export function table(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const names = Object.keys(rows[0] ?? {});
  const lines = [
    names,
    ...rows.map((row) =>
      names.map((name) => {
        const cell = row[name] ?? '';
        return typeof cell === 'number' ? String(Number(cell.toFixed(2))) : cell;
      }),
    ),
  ];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  say('');
  for (const line of lines) say(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  say('');
}

/** Prints whether a figure is as wanted: `PASS`, or `SHORT`, with which the program's exit status is 1. */
export function bar(what: string, passes: boolean): void {
  say(`${passes ? 'PASS ' : 'SHORT'}  ${what}`);
  if (!passes) process.exitCode = 1;
}

export function atLeast(what: string, value: number, bound: number): void {
  bar(`${what}: ${value.toFixed(2)} (wanted ≥ ${bound})`, value >= bound);
}

export function atMost(what: string, value: number, bound: number): void {
  bar(`${what}: ${value.toFixed(2)} (wanted ≤ ${bound})`, value <= bound);
}

/** The value below which this share of the values is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Calls `act` for each number below `times`, with at most `most` calls under way. Resolves when all are done. */
export async function inFlight(
  most: number,
  times: number,
  act: (n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < times) await act(next++);
  };
  await Promise.all(Array.from({ length: most }, worker));
}

/** Count, p50, p95 and p99 of latencies in milliseconds, as cells of a table. */
export function latencyCells(latenciesMs: readonly number[]) {
  const of = (share: number) => percentile(latenciesMs, share);
  return {
    count: latenciesMs.length,
    'p50 ms': of(0.5),
    'p95 ms': of(0.95),
    'p99 ms': of(0.99),
    'max ms': of(1),
  };
}

/** Calls `act` so many times a second, whether or not what it began before is done. Resolves when all of it is. */
export async function atRate(
  perSecond: number,
  isOver: (turn: number) => boolean,
  act: (turn: number) => Promise<unknown>,
): Promise<void> {
  const begun: Promise<unknown>[] = [];
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const startedAt = performance.now();
  for (let turn = 0; !isOver(turn); turn += 1) {
    const waitMs = startedAt + (turn * 1_000) / perSecond - performance.now();
    if (waitMs > 0)
      await Promise.race([new Promise((resolve) => setTimeout(resolve, waitMs)), failure.promise]);
    const done = act(turn);
    done.catch(failure.reject);
    begun.push(done);
  }
  await Promise.all(begun);
}

/** Runs a load program, a process of its own that delays nothing here, until it sends what it measured. @throws when it fails. */
export async function runLoad<Result>(file: URL, spec: object): Promise<Result> {
  // The client of this checkout, not one that was packed.
  const execArgv = ['--conditions=sigcast-source'];
  const child = fork(fileURLToPath(file), [JSON.stringify(spec)], { execArgv });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${file.pathname} ended with code ${code}`);
  });
  failed.catch(() => undefined);
  const [result] = (await Promise.race([once(child, 'message'), failed])) as [Result];
  child.disconnect();
  return result;
}

/** Ends a load program: sends what it measured, and waits until the bench has it. */
export function sendResult(result: object): void {
  process.channel?.ref();
  process.send?.(result);
  process.once('disconnect', () => process.exit());
}
