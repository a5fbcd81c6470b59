// `npx pnpm@12 start`: the whole system on this machine, until Ctrl-C.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { linePrinter } from './report.ts';
import { runLocalSystem } from './system/run.ts';

const usage = `Usage: npx pnpm@12 start [--no-demo] [--market-url URL] [--fresh] [--verbose]
  --no-demo         no demo data and no simulated market (account, key and token are still created)
  --market-url URL  the tracker asks this source, in DexScreener's format; no simulated market, no demo data
  --fresh           delete the data of earlier starts
  --verbose         print how long each phase of the start took
  PORT=8090         in the environment: the gateway's port (default 8080)`;

function options() {
  try {
    const { values } = parseArgs({
      allowNegative: true,
      options: {
        demo: { type: 'boolean', default: true },
        'market-url': { type: 'string' },
        fresh: { type: 'boolean' },
        verbose: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    const port = Number(process.env.PORT || 8080);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new Error(`PORT must be a number from 1 to 65535, not "${process.env.PORT}"`);
    }
    const marketUrl = values['market-url'];
    if (marketUrl !== undefined && !/^https?:$/.test(URL.parse(marketUrl)?.protocol ?? '')) {
      throw new Error(`--market-url must be an http or https address, not "${marketUrl}"`);
    }
    return { ...values, marketUrl, port };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}

const { demo, marketUrl, fresh, verbose, help, port } = options();
if (help) {
  process.stdout.write(`${usage}\n`);
} else {
  process.exitCode = await runLocalSystem({
    dir: join(import.meta.dirname, '..', '..', '..', '.local'),
    port,
    demo,
    marketUrl,
    fresh: fresh ?? false,
    verbose: verbose ?? false,
    env: process.env,
    print: linePrinter(process.stdout),
    complain: (line) => process.stderr.write(`${line}\n`),
  });
  process.exit();
}
