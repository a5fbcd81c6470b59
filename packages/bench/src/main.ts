/** Usage: npx pnpm@12 bench NAME */
import { benchGateway } from './gateway/bench-gateway.ts';
import { benchOutage } from './gateway/bench-outage.ts';

const benches: Readonly<Record<string, (scope: AsyncDisposableStack) => Promise<void>>> = {
  gateway: benchGateway,
  'gateway-outage': benchOutage,
};

const name = process.argv[2] ?? '';
const bench = benches[name];
if (bench === undefined || process.argv.length > 3) {
  process.stderr.write(`Usage: npx pnpm@12 bench ${Object.keys(benches).join(' | ')}\n`);
  process.exit(2);
}

const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  }
});
const scope = new AsyncDisposableStack();
try {
  await Promise.race([bench(scope), interrupted]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await scope.disposeAsync();
}
// What an interrupted run was still about to do must not hold the process.
process.exit();
