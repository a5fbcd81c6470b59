/** Usage: npx pnpm@12 bench NAME [ARGUMENT…] */
import { benchFirstPage } from './dashboard/bench-first-page.ts';
import { benchAttack } from './gateway/bench-attack.ts';
import { benchGateway } from './gateway/bench-gateway.ts';
import { benchOutage } from './gateway/bench-outage.ts';
import { benchIngest } from './ingest/bench-ingest.ts';
import { benchFollow } from './reads/bench-follow.ts';
import { benchReads } from './reads/bench-reads.ts';
import { benchHistory } from './tracker/bench-history.ts';
import { benchTracker } from './tracker/bench-tracker.ts';
import { benchBacklog } from './webhooks/bench-backlog.ts';
import { benchDeliveries } from './webhooks/bench-deliveries.ts';
import { benchImport } from './webhooks/bench-import.ts';
import { benchIsolation } from './webhooks/bench-isolation.ts';
import { benchOrdered } from './webhooks/bench-ordered.ts';

const benches: Readonly<
  Record<string, (scope: AsyncDisposableStack, args: readonly string[]) => Promise<void>>
> = {
  gateway: benchGateway,
  'gateway-outage': benchOutage,
  attack: benchAttack,
  reads: benchReads,
  follow: benchFollow,
  deliveries: benchDeliveries,
  import: benchImport,
  isolation: benchIsolation,
  ordered: benchOrdered,
  backlog: benchBacklog,
  history: benchHistory,
  ingest: benchIngest,
  tracker: benchTracker,
  'first-page': benchFirstPage,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(`Usage: npx pnpm@12 bench ${Object.keys(benches).join(' | ')} [ARGUMENT…]\n`);
  process.exit(2);
}

const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  }
});
const scope = new AsyncDisposableStack();
try {
  await Promise.race([bench(scope, args), interrupted]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await scope.disposeAsync();
}
// Timers and connections of an interrupted run must not keep the process alive.
process.exit();
