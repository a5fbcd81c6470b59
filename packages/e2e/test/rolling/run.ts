import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isPortFree,
  type ProcessName,
  pickFreePort,
  processNames,
  type System,
  startSystem,
} from '@sigcast/local';
import { eventually, startReceiver, type TestStack } from '@sigcast/testing';
import { openAccess } from '../system.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { startFollower } from './follower.ts';
import { bothHosts, sharedName } from './hosts.ts';
import { type LoadPlan, startLoad } from './load.ts';

export type RollingPlan = LoadPlan & {
  /** How the gateway knows services: by one name for both replicas, by a list of addresses, or some by each. */
  readonly behind: 'names' | 'lists' | 'both';
  /** In each round, every replica of every service is restarted once. */
  readonly rounds: number;
  /** True: the first replicas of all services stop together, then the second ones. False: one process at a time. */
  readonly together: boolean;
  readonly shutdownDelayMs: number;
  readonly report: (line: string) => void;
};

export type RollingReport = {
  readonly restarts: number;
  /** Stopped processes that did not end with exit code 0, and processes that ended without being stopped. */
  readonly badEnds: readonly string[];
  /** The longest time that a process took to stop, in milliseconds. */
  readonly longestStopMs: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly failed: readonly string[];
  readonly events: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly streamEnds: Readonly<Record<string, number>>;
  readonly lostFromStream: readonly string[];
  readonly doubledInStream: readonly string[];
};

const services = ['signals', 'stats', 'webhooks-api', 'webhooks-worker', 'gateway'] as const;
const names = new URL('./names.ts', import.meta.url).href;

/**
 * Runs two replicas of every service under load, and restarts each of them in an orderly way. Broken guarantees are in the
 * report.
 * @throws when the system can't be started, or a process does not come back.
 */
export async function runRolling(plan: RollingPlan, stack: TestStack): Promise<RollingReport> {
  await using scope = new AsyncDisposableStack();
  const badEnds: string[] = [];
  // A process that ends by itself is reported, and started again.
  const watch = (line: string) => {
    if (/ ended \(/.test(line)) badEnds.push(line.trim());
    if (!/ ready after /.test(line)) plan.report(line);
  };
  const replicas = await startReplicas(plan, stack, { scope, watch });
  const [first] = replicas;
  const { apiKey, ingestToken } = await openAccess(first);
  const receiver = scope.use(await startReceiver());
  const gateways = scope.use(
    startBalancer(replicas.map((one) => ({ url: one.gatewayUrl, readyUrl: one.readyUrl('gateway') }))),
  );
  const signals = scope.use(
    startBalancer(replicas.map((one) => ({ url: one.signalsUrl, readyUrl: one.readyUrl('signals') }))),
  );
  const client = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const subscribed = await gateways.request('POST', '/v1/webhooks', {
    headers: client,
    body: JSON.stringify({ url: `${receiver.url}/events`, events: ['signal.new'] }),
  });
  const { id: webhook } = (subscribed.body as { data: { id: string } }).data;
  // Restarts begin once each gateway has answered.
  for (const { gatewayUrl } of replicas) {
    await eventually(async () => {
      const { status } = await fetch(`${gatewayUrl}/v1/signals`, { headers: client });
      if (status !== 200) throw new Error(`${gatewayUrl} answers ${status}`);
    });
  }
  const follower = scope.use(await startFollower(gateways, apiKey));
  const load = startLoad({ ...plan, gateways, signals, apiKey, ingestToken, webhook });
  await eventually(() => atLeast(load.signals.length, 1));

  let restarts = 0;
  let longestStopMs = 0;
  const stop = async (system: System, name: ProcessName) => {
    const startedAt = performance.now();
    const end = await system.processes[name].kill('SIGTERM');
    longestStopMs = Math.max(longestStopMs, Math.round(performance.now() - startedAt));
    if (end !== 'exit code 0') badEnds.push(`${name}: ${end}`);
  };
  const start = async (system: System, name: ProcessName) => {
    await system.processes[name].start();
    restarts += 1;
    const kinds = Object.keys(countBy(load.failed.map(kindOf)));
    plan.report(
      `${name} restarted; ${JSON.stringify(load.made)}, ${load.failed.length} failed ${kinds.join('; ')}`,
    );
  };
  for (let round = 1; round <= plan.rounds; round += 1) {
    if (plan.together) {
      for (const system of replicas) {
        await Promise.all(services.map((name) => stop(system, name)));
        // One after the other: each start needs much of a core, and the replicas share this machine.
        for (const name of services) await start(system, name);
      }
    } else {
      for (const name of services) {
        for (const system of replicas) {
          await stop(system, name);
          await start(system, name);
        }
      }
    }
  }
  await load.stop();

  const received = () =>
    receiver.requests.map(({ body }) => (JSON.parse(body.toString()) as { data: { id: string } }).data.id);
  const missing = (got: readonly string[]) => {
    const all = new Set(got);
    return load.signals.filter((id) => !all.has(id));
  };
  // A condition that is not met within the time is reported.
  await eventually(
    async () => {
      none(missing(received()));
      none(missing(follower.signals));
      await settled(gateways, { client, webhook, signals: load.signals.length });
    },
    { timeoutMs: 60_000, everyMs: 250 },
  ).catch((error: unknown) => plan.report(`not everything arrived: ${String(error)}`));
  return {
    restarts,
    badEnds,
    longestStopMs,
    requests: load.made,
    failed: load.failed,
    events: load.signals.length,
    lost: missing(received()),
    doubled: doubles(received()),
    streamEnds: countBy(follower.ends),
    lostFromStream: missing(follower.signals),
    doubledInStream: doubles(follower.signals),
  };
}

/** Starts two replicas of each process, at the same ports of two loopback addresses. */
async function startReplicas(
  plan: RollingPlan,
  stack: TestStack,
  { scope, watch }: { readonly scope: AsyncDisposableStack; readonly watch: (line: string) => void },
): Promise<readonly [System, System]> {
  for (const name of ['gateway', 'signals', 'stats', 'webhooks', 'tracker']) stack.database(name);
  const dir = mkdtempSync(join(tmpdir(), 'sigcast-rolling-'));
  scope.defer(() => rmSync(dir, { recursive: true, force: true }));
  const dirs = bothHosts.map((host) => join(dir, host));
  for (const each of dirs) mkdirSync(each);
  const ports: Record<string, number> = {};
  for (const name of services) ports[name] = await freePort();
  for (const each of dirs) writeFileSync(join(each, 'service-ports.json'), JSON.stringify(ports));
  const address = (kind: 'names' | 'lists', port: number | undefined) =>
    kind === 'names'
      ? `http://${sharedName}:${port}`
      : bothHosts.map((host) => `http://${host}:${port}`).join(',');
  const { behind } = plan;
  const overrides = {
    NODE_OPTIONS: `--import=${names}`,
    SHUTDOWN_DELAY_MS: String(plan.shutdownDelayMs),
    SHUTDOWN_TIMEOUT_MS: '20000',
    SIGNALS_URL: address(behind === 'both' ? 'names' : behind, ports.signals),
    STATS_URL: address(behind === 'both' ? 'lists' : behind, ports.stats),
    WEBHOOKS_URL: address(behind === 'both' ? 'names' : behind, ports['webhooks-api']),
  };
  const start = async (index: 0 | 1) => {
    const dataDir = dirs[index] ?? '';
    const system = await startSystem({
      stores: stack,
      dataDir,
      host: bothHosts[index],
      overrides,
      report: watch,
    });
    scope.defer(() => killAndStop(system));
    return system;
  };
  const first = await start(0);
  // All replicas use the same keys.
  cpSync(join(dirs[0] ?? '', 'keys'), join(dirs[1] ?? '', 'keys'), { recursive: true });
  return [first, await start(1)];
}

/** Stops a system whose processes are killed first, since an orderly stop after the checks would only take time. */
async function killAndStop(system: System): Promise<void> {
  await Promise.all(processNames.map((name) => system.processes[name].kill('SIGKILL')));
  await system.stop();
}

/** A port that is free at both addresses. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = await pickFreePort(bothHosts[0]);
    if (await isPortFree(port, bothHosts[1])) return port;
  }
}

/** @throws until statistics count every signal, and each delivery was made with one attempt. */
async function settled(
  gateways: Balancer,
  expected: { readonly client: Record<string, string>; readonly webhook: string; readonly signals: number },
): Promise<void> {
  const dataOf = async <T>(path: string) => {
    const { body } = await gateways.request('GET', path, { headers: expected.client });
    return (body as { data: T }).data;
  };
  const { total_signals: counted } = await dataOf<{ total_signals: number }>('/v1/stats');
  if (counted !== expected.signals) throw new Error(`${counted} of ${expected.signals} signals counted`);
  let deliveries = 0;
  for (let page = 1; ; page += 1) {
    const some = await dataOf<{ status: string; attempt_count: number }[]>(
      `/v1/webhooks/${expected.webhook}/deliveries?limit=100&page=${page}`,
    );
    none(some.filter((each) => each.status !== 'delivered' || each.attempt_count !== 1));
    deliveries += some.length;
    if (some.length < 100) break;
  }
  if (deliveries !== expected.signals) throw new Error(`${deliveries} of ${expected.signals} deliveries`);
}

/** The kind of a failure: its message, without time and request. */
function kindOf(failure: string): string {
  return /"message":"([^"]*)"/.exec(failure)?.[1] ?? failure.replace(/^\S+ /, '');
}

function none(found: readonly unknown[]): void {
  if (found.length > 0) throw new Error(`${found.length}, such as ${JSON.stringify(found[0])}`);
}

function atLeast(count: number, wanted: number): void {
  if (count < wanted) throw new Error(`${count} of ${wanted}`);
}

function doubles(ids: readonly string[]): string[] {
  return Object.entries(countBy(ids)).flatMap(([id, count]) => (count > 1 ? [id] : []));
}

function countBy(all: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of all) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}
