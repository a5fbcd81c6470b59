import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { benchStores } from '../bench-stores.ts';
import { percentile } from '../reads/steady-reads.ts';
import { atMost, bar, say } from '../report.ts';
import { startGateway, startUpstream } from './contenders.ts';

/** What the attackers do. */
export type AttackSpec = {
  readonly origin: string;
  /** Keys of the accounts that send bodies slowly, and over how many sockets. */
  readonly slowKeys: readonly string[];
  readonly slowSockets: number;
  /** A key of an account that is over its limit, over how many sockets it asks, and how often each. */
  readonly exhaustedKey: string;
  readonly refusedSockets: number;
  readonly refusedEveryMs: number;
};

const slowAccounts = 9;
const warmUpRequests = 200;
const worstRatio = 1.5;
/** Between two requests of the measured account: 300 requests take long enough to see slow bodies end and begin anew. */
const gapMs = 40;

/**
 * What one account notices of attacks by others: sockets with slow bodies, and sockets that go on asking over the limit.
 * Arguments: requests in each part (300), slow sockets (600), refused sockets (200), milliseconds between two requests
 * on a refused socket (200).
 */
export async function benchAttack(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const [requests = 300, slowSockets = 600, refusedSockets = 200, refusedEveryMs = 200] = args.map(Number);
  const { backing } = await benchStores(scope);
  const { origin: upstream } = await startUpstream(scope);
  const gateway = await startGateway(scope, backing, { upstream, limitedTo: 1 });
  const slowKeys: string[] = [];
  for (let i = 0; i < slowAccounts; i += 1) slowKeys.push(await gateway.newKey(`slow-${i}`, 1_000));
  const { headers } = gateway.accepting;
  const { origin } = gateway;

  await askAll(origin, headers, warmUpRequests);
  const before = await askAll(origin, headers, requests);
  say(row('without', before));
  const attackers = await startAttack({
    ...{ origin, slowKeys, slowSockets, refusedSockets, refusedEveryMs },
    exhaustedKey: (gateway.limited.headers.Authorization ?? '').slice('Bearer '.length),
  });
  const during = await askAll(origin, headers, requests);
  say(row('under attack', during));
  await attackers.stop();
  const after = await askAll(origin, headers, requests);
  say(row('without, again', after));

  const calm = percentile([...before.latenciesMs, ...after.latenciesMs], 0.99);
  const ratio = percentile(during.latenciesMs, 0.99) / calm;
  atMost('p99 under attack / without', ratio, { bound: worstRatio, digits: 2 });
  bar(`failed: ${during.failures.length} of ${requests}`, during.failures.length === 0);
  bar(`degraded: ${during.degraded} of ${requests}`, during.degraded === 0);
}

type Asked = {
  readonly latenciesMs: readonly number[];
  /** Answers other than 200, and connections that broke. */
  readonly failures: readonly string[];
  readonly degraded: number;
};

/** Sends one request after the other, reads and writes in turn. */
async function askAll(
  origin: string,
  headers: Readonly<Record<string, string>>,
  requests: number,
): Promise<Asked> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latenciesMs: number[] = [];
  const failures: string[] = [];
  let degraded = 0;
  for (let i = 0; i < requests; i += 1) {
    const startedAt = performance.now();
    const asking =
      i % 2 === 0
        ? request(`${origin}/v1/signals`, { agent, headers })
        : request(`${origin}/v1/webhooks`, {
            ...{ agent, method: 'POST' },
            headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': 2 },
          });
    asking.end(i % 2 === 0 ? undefined : '{}');
    try {
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      const text = (await answer.setEncoding('utf8').toArray()).join('');
      if (answer.statusCode !== 200) failures.push(`${answer.statusCode} ${text}`);
      if (answer.headers['x-ratelimit-degraded'] !== undefined) degraded += 1;
    } catch (error) {
      failures.push(String(error));
    }
    latenciesMs.push(performance.now() - startedAt);
    await delay(gapMs);
  }
  agent.destroy();
  return { latenciesMs, failures, degraded };
}

async function startAttack(spec: AttackSpec): Promise<{ stop(): Promise<void> }> {
  const program = fileURLToPath(new URL('attack-load.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(spec)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

function row(name: string, { latenciesMs, failures, degraded }: Asked): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(latenciesMs, share));
  const figures = `p50 ${p50?.toFixed(2)} ms  p99 ${p99?.toFixed(2)} ms  max ${max?.toFixed(0)} ms`;
  return `${name.padEnd(16)}${figures}  failed ${failures.length}${failures.length > 0 ? ` (the first: ${failures[0]})` : ''}  degraded ${degraded}`;
}
