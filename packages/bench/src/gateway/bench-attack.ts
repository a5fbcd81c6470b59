import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BackingServices } from '@sigcast/local';
import { benchStores } from '../bench-stores.ts';
import { percentile } from '../reads/steady-reads.ts';
import { atMost, bar, say } from '../report.ts';
import { cpuMs, residentMb } from '../run-load.ts';
import { attacks, type Target } from './attacks.ts';
import { type Contender, startGateway, startUpstream } from './contenders.ts';
import { signUpOwner } from './owner.ts';

const attackerAccounts = 9;
const warmUpRequests = 200;
const measuredRequests = 600;
const worstRatio = 1.5;
/** How far the gateway's memory may grow above its size without an attack. */
const mostAddedMb = 256;
/** From one request of the measured account to the next: 600 take long enough to see slow bodies end and begin anew. */
const everyMs = 25;
/** How often the gateway's memory is looked at. */
const lookEveryMs = 50;

/** What the table shows of an attack; `core` is the share of a core that the gateway used, and `ended` whether it has ended. */
type Measured = {
  readonly calmP99Ms: number;
  readonly p99Ms: number;
  readonly addedMb: number;
  readonly core: number;
  readonly failed: number;
  readonly ended: boolean;
};

/**
 * What one account notices of attacks by others, and what they cost the gateway's memory and processor. Each attack has a gateway of its
 * own. Arguments: the names of attacks. Default: all.
 */
export async function benchAttack(scope: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const names = args.length > 0 ? args : Object.keys(attacks);
  const unknown = names.find((name) => !Object.hasOwn(attacks, name));
  if (unknown !== undefined)
    throw new Error(`there is no attack ${unknown}; there are ${Object.keys(attacks).join(', ')}`);
  const { backing } = await benchStores(scope);
  const { origin: upstream } = await startUpstream(scope);
  const rows: string[] = [];
  for (const name of names) {
    await using own = new AsyncDisposableStack();
    rows.push(tableRow(name, await measureAttack(own, { name, backing, upstream })));
  }
  say(
    [
      '',
      '| attack | p99 of others, without → with | ratio | MB above idle | core | failed | restarts |',
    ].join('\n'),
  );
  say(`|${' --- |'.repeat(7)}`);
  for (const row of rows) say(row);
}

function tableRow(name: string, { calmP99Ms, p99Ms, addedMb, core, failed, ended }: Measured): string {
  const cells = [
    name,
    `${calmP99Ms.toFixed(1)} → ${p99Ms.toFixed(1)} ms`,
    (p99Ms / calmP99Ms).toFixed(2),
    addedMb.toFixed(0),
    core.toFixed(2),
    failed,
    ended ? 1 : 0,
  ];
  return `| ${cells.join(' | ')} |`;
}

async function measureAttack(
  scope: AsyncDisposableStack,
  { name, backing, upstream }: { name: string; backing: BackingServices; upstream: string },
): Promise<Measured> {
  const settings = attacks[name]?.settings ?? {};
  const gateway = await startGateway(scope, backing, { upstream, limitedTo: 1, settings });
  const keys: string[] = [];
  for (let i = 0; i < attackerAccounts; i += 1) keys.push(await gateway.newKey(`attacker-${i}`, 1_000));
  const { origin } = gateway;
  const { pid } = gateway.accepting;

  const promised = attacks[name]?.owner;
  const owner = promised && (await signUpOwner(origin));
  say(`\n${name}`);
  await askAll(gateway.accepting, warmUpRequests);
  const before = await askAll(gateway.accepting, measuredRequests);
  say(row('without', before));
  const idleMb = residentMb(pid);
  const following = follow(pid);
  const exhaustedKey = (gateway.limited.headers.Authorization ?? '').slice('Bearer '.length);
  const attackers = await startAttack(name, { origin, keys, exhaustedKey, email: owner?.email ?? '' });
  const signIns = owner?.signInAgain();
  const during = await askAll(gateway.accepting, measuredRequests);
  say(row('under attack', during));
  const signedIn = await signIns?.stop();
  await attackers.stop();
  const seen = following.stop();
  const after = await askAll(gateway.accepting, measuredRequests);
  say(row('without, again', after));

  const calmP99Ms = percentile([...before.latenciesMs, ...after.latenciesMs], 0.99);
  const p99Ms = percentile(during.latenciesMs, 0.99);
  const addedMb = seen.highestMb - idleMb;
  const failed = during.failures.length;
  atMost('p99 under attack / without', p99Ms / calmP99Ms, { bound: worstRatio, digits: 2 });
  atMost(`MB above the ${idleMb.toFixed(0)} of before`, addedMb, { bound: mostAddedMb, digits: 0 });
  bar('the gateway did not end', !seen.ended);
  bar(`failed: ${failed} of ${measuredRequests}`, failed === 0);
  for (const { device, fulfilled, of, slowestMs } of signedIn ?? []) {
    const line = `owner signed in from a ${device} device: ${fulfilled} of ${of}, ${slowestMs.toFixed(0)} ms at most`;
    if (promised?.includes(device)) bar(line, fulfilled === of);
    else say(line);
  }
  bar(`degraded: ${during.degraded} of ${measuredRequests}`, during.degraded === 0);
  return { calmP99Ms, p99Ms, addedMb, core: seen.core, failed, ended: seen.ended };
}

/** Follows a process: its highest memory, its share of a core, and whether it ends. */
function follow(pid: number) {
  const seen = { highestMb: residentMb(pid), core: 0, ended: false };
  const startedAt = performance.now();
  const cpuBeforeMs = cpuMs(pid);
  const timer = setInterval(() => {
    try {
      seen.highestMb = Math.max(seen.highestMb, residentMb(pid));
      seen.core = (cpuMs(pid) - cpuBeforeMs) / (performance.now() - startedAt);
    } catch {
      seen.ended = true;
    }
  }, lookEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      return seen;
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
async function askAll({ url, headers }: Contender, requests: number): Promise<Asked> {
  const { origin } = new URL(url);
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
            agent,
            method: 'POST',
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
