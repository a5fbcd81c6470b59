import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BackingServices } from '@sigcast/local';
import { benchStores } from '../bench-stores.ts';
import { percentile } from '../reads/steady-reads.ts';
import { atMost, bar, say } from '../report.ts';
import { residentMb } from '../run-load.ts';
import { attacks, type Target } from './attacks.ts';
import { startGateway, startUpstream } from './contenders.ts';
import { signUpOwner } from './owner.ts';

const attackerAccounts = 9;
const warmUpRequests = 200;
const measuredRequests = 300;
const worstRatio = 1.5;
/** How far the gateway's memory may grow above its size without an attack. */
const mostAddedMb = 256;
/** From one request of the measured account to the next: 300 take long enough to see slow bodies end and begin anew. */
const everyMs = 40;
/** How often the gateway's memory is looked at. */
const memoryEveryMs = 50;

/**
 * What one account notices of attacks by others, and what they cost the gateway's memory. Each attack has a gateway of its
 * own. Arguments: the names of attacks. Default: all.
 */
export async function benchAttack(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const names = args.length > 0 ? args : Object.keys(attacks);
  const unknown = names.find((name) => !Object.hasOwn(attacks, name));
  if (unknown !== undefined)
    throw new Error(`there is no attack ${unknown}; there are ${Object.keys(attacks).join(', ')}`);
  const { backing } = await benchStores(scope);
  const { origin: upstream } = await startUpstream(scope);
  for (const name of names) {
    await using own = new AsyncDisposableStack();
    await measureAttack(own, { name, backing, upstream });
  }
}

async function measureAttack(
  scope: AsyncDisposableStack,
  { name, backing, upstream }: { name: string; backing: BackingServices; upstream: string },
): Promise<void> {
  const settings = attacks[name]?.settings ?? {};
  const gateway = await startGateway(scope, backing, { upstream, limitedTo: 1, settings });
  const keys: string[] = [];
  for (let i = 0; i < attackerAccounts; i += 1) keys.push(await gateway.newKey(`attacker-${i}`, 1_000));
  const { origin } = gateway;
  const { headers, pid } = gateway.accepting;

  const promised = attacks[name]?.owner;
  const owner = promised && (await signUpOwner(origin));
  say(`\n${name}`);
  await askAll(origin, headers, warmUpRequests);
  const before = await askAll(origin, headers, measuredRequests);
  say(row('without', before));
  const idleMb = residentMb(pid);
  const memory = followMemory(pid);
  const exhaustedKey = (gateway.limited.headers.Authorization ?? '').slice('Bearer '.length);
  const attackers = await startAttack(name, { origin, keys, exhaustedKey, email: owner?.email ?? '' });
  const signIns = owner?.signInAgain();
  const during = await askAll(origin, headers, measuredRequests);
  say(row('under attack', during));
  const signedIn = await signIns?.stop();
  await attackers.stop();
  const highestMb = memory.stop();
  const after = await askAll(origin, headers, measuredRequests);
  say(row('without, again', after));

  const calm = percentile([...before.latenciesMs, ...after.latenciesMs], 0.99);
  const ratio = percentile(during.latenciesMs, 0.99) / calm;
  atMost('p99 under attack / without', ratio, { bound: worstRatio, digits: 2 });
  atMost(`MB above the ${idleMb.toFixed(0)} of before`, highestMb - idleMb, {
    bound: mostAddedMb,
    digits: 0,
  });
  bar(`failed: ${during.failures.length} of ${measuredRequests}`, during.failures.length === 0);
  for (const { device, fulfilled, of, slowestMs } of signedIn ?? []) {
    const line = `owner signed in from a ${device} device: ${fulfilled} of ${of}, ${slowestMs.toFixed(0)} ms at most`;
    if (promised?.includes(device)) bar(line, fulfilled === of);
    else say(line);
  }
  bar(`degraded: ${during.degraded} of ${measuredRequests}`, during.degraded === 0);
}

/** Follows how much memory a process has at most. @throws in \`stop\` when the process has ended. */
function followMemory(pid: number): { stop(): number } {
  let highestMb = residentMb(pid);
  let ended: unknown;
  const timer = setInterval(() => {
    try {
      highestMb = Math.max(highestMb, residentMb(pid));
    } catch (error) {
      ended = error;
    }
  }, memoryEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      if (ended !== undefined) throw new Error('the gateway ended under attack', { cause: ended });
      return highestMb;
    },
  };
}

type Asked = {
  readonly latenciesMs: readonly number[];
  /** Answers other than 200, and connections that broke. */
  readonly failures: readonly string[];
  readonly degraded: number;
};

/** Sends one request after the other, reads and writes in turn. A latency counts from when the request was due. */
async function askAll(
  origin: string,
  headers: Readonly<Record<string, string>>,
  requests: number,
): Promise<Asked> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latenciesMs: number[] = [];
  const failures: string[] = [];
  let degraded = 0;
  const startedAt = performance.now();
  for (let i = 0; i < requests; i += 1) {
    const dueAt = startedAt + i * everyMs;
    await delay(Math.max(0, dueAt - performance.now()));
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
    latenciesMs.push(performance.now() - dueAt);
  }
  agent.destroy();
  return { latenciesMs, failures, degraded };
}

async function startAttack(name: string, target: Target): Promise<{ stop(): Promise<void> }> {
  const program = fileURLToPath(new URL('attack-load.ts', import.meta.url));
  const child = spawn(process.execPath, [program, name, JSON.stringify(target)], {
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
