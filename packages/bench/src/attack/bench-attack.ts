import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BackingServices } from '@sigcast/local';
import { atMost, type Bench, bar, latencyCells, percentile, say, table } from '../frame.ts';
import { type Contender, startGateway, startUpstream } from '../gateway/contenders.ts';
import { follow, residentMb } from '../processes.ts';
import { benchStores } from '../system.ts';
import { attacks, type Target } from './attacks.ts';
import { signUpOwner } from './owner.ts';

const attackerAccounts = 9;
const warmUpRequests = 200;
const worstRatio = 1.5;
/** How far the gateway's memory may grow above its size without an attack. */
const mostAddedMb = 256;
/** From one request of the measured account to the next: 600 take long enough to see slow bodies end and begin anew. */
const everyMs = 25;

/**
 * What one account notices of attacks by others, and what they cost the gateway's memory and processor. Each attack has a
 * gateway of its own. `only`: the name of one attack.
 */
export const attack: Bench = {
  parameters: { only: '', requests: 600 },
  run: async (scope, given) => {
    const only = given.text('only');
    const names = Object.keys(attacks).filter((name) => only === '' || name === only);
    if (names.length === 0) throw new Error(`--only must be one of ${Object.keys(attacks).join(', ')}`);
    const { backing } = await benchStores(scope, process.env);
    const { origin: upstream } = await startUpstream(scope);
    const rows: Awaited<ReturnType<typeof measureAttack>>[] = [];
    for (const name of names) {
      await using own = new AsyncDisposableStack();
      rows.push(await measureAttack(own, { name, backing, upstream, requests: given.number('requests') }));
    }
    table(rows);
  },
};

async function measureAttack(
  scope: AsyncDisposableStack,
  given: { name: string; backing: BackingServices; upstream: string; requests: number },
) {
  const { name, backing, upstream, requests } = given;
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
  const stopFollowingBefore = follow(pid);
  const before = await askAll(gateway.accepting, requests);
  const { core: coreWithout } = stopFollowingBefore();
  const idleMb = residentMb(pid);
  const stopFollowing = follow(pid);
  const exhaustedKey = (gateway.limited.headers.Authorization ?? '').slice('Bearer '.length);
  const attackers = await startAttack(name, { origin, keys, exhaustedKey, email: owner?.email ?? '' });
  const signIns = owner?.signInAgain();
  const during = await askAll(gateway.accepting, requests);
  const signedIn = await signIns?.stop();
  await attackers.stop();
  const { highestMb, core, ended } = stopFollowing();
  const after = await askAll(gateway.accepting, requests);
  table(
    Object.entries({ without: before, 'under attack': during, 'without, again': after }).map(
      ([part, { latenciesMs }]) => ({ part, ...latencyCells(latenciesMs) }),
    ),
  );

  const ratio =
    percentile(during.latenciesMs, 0.99) / percentile([...before.latenciesMs, ...after.latenciesMs], 0.99);
  const addedMb = highestMb - idleMb;
  const failed = during.failures.length;
  atMost('p99 under attack / without', ratio, worstRatio);
  atMost(`MB above the ${idleMb.toFixed(0)} of before`, addedMb, mostAddedMb);
  bar('the gateway did not end', !ended);
  bar(
    `failed: ${failed} of ${requests}${failed > 0 ? `, the first: ${during.failures[0]}` : ''}`,
    failed === 0,
  );
  for (const { device, fulfilled, of, slowestMs } of signedIn ?? []) {
    const line = `owner signed in from a ${device} device: ${fulfilled} of ${of}, ${slowestMs.toFixed(0)} ms at most`;
    if (promised?.includes(device)) bar(line, fulfilled === of);
    else say(line);
  }
  bar(`degraded: ${during.degraded} of ${requests}`, during.degraded === 0);
  return {
    attack: name,
    'p99 ratio': ratio,
    'MB above idle': addedMb,
    'core without': coreWithout,
    core,
    failed,
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
