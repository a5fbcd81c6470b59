// `npx pnpm@12 start`: the whole system on this machine, until Ctrl-C.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { linePrinter } from './report.ts';
import { runLocalSystem } from './system/run.ts';

const usage = `Usage: npx pnpm@12 start [--no-demo | --live] [--fresh] [--verbose]
  --no-demo   no demo data and no simulated market (account, key and token are still created)
  --live      signals of real tokens: the scanner asks DexScreener and GeckoTerminal; no demo data
  --fresh     delete the data of earlier starts
  --verbose   print how long each phase of the start took
  PORT=8090   in the environment: the gateway's port (default 8080)`;

function options() {
  try {
    const { values } = parseArgs({
      allowNegative: true,
      options: {
        demo: { type: 'boolean', default: true },
        live: { type: 'boolean', default: false },
        fresh: { type: 'boolean' },
        verbose: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    const port = Number(process.env.PORT || 8080);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new Error(`PORT must be a number from 1 to 65535, not "${process.env.PORT}"`);
    }
    return { ...values, port };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}

const { demo, live, fresh, verbose, help, port } = options();
if (help) {
  process.stdout.write(`${usage}\n`);
} else {
  process.exitCode = await runLocalSystem({
    dir: join(import.meta.dirname, '..', '..', '..', '.local'),
    port,
    demo,
    live,
    fresh: fresh ?? false,
    verbose: verbose ?? false,
    env: process.env,
    print: linePrinter(process.stdout),
    complain: (line) => process.stderr.write(`${line}\n`),
  });
  process.exit();
}
