/** Usage: npx pnpm@12 bench NAME [--parameter value …] */
import { parseArgs } from 'node:util';
import { attack } from './attack/bench-attack.ts';
import { compare } from './compare/bench-compare.ts';
import { deliveries } from './deliveries.ts';
import type { Bench } from './frame.ts';
import { gateway } from './gateway/bench-gateway.ts';
import { importBench } from './import.ts';
import { log } from './log.ts';
import { reads } from './reads.ts';
import { replicas } from './replicas.ts';
import { start } from './start.ts';
import { units } from './units.ts';

const benches: Readonly<Record<string, Bench>> = {
  attack,
  compare,
  deliveries,
  gateway,
  import: importBench,
  log,
  reads,
  replicas,
  start,
  units,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = benches[name];
const scope = new AsyncDisposableStack();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  }
});
try {
  if (bench === undefined) throw new Error(`there are ${Object.keys(benches).join(', ')}`);
  const options = Object.fromEntries(
    Object.entries(bench.parameters).map(([key, value]) => [
      key,
      { type: 'string' as const, default: String(value) },
    ]),
  );
  const { values } = parseArgs({ args, options });
  const number = (key: string) => {
    const value = Number(values[key]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${key} must be a whole number from 1`);
    return value;
  };
  const text = (key: string) => values[key] ?? '';
  await Promise.race([bench.run(scope, { number, text }), interrupted]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
} finally {
  await scope.disposeAsync();
}
// Timers and connections of an interrupted run must not keep the process alive.
process.exit();
