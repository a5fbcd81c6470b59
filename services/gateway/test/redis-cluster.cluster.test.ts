import { checkMasters } from '@sigcast/redis';
import { createLogger } from '@sigcast/runtime';
import { dayHookMs, eventually, untilDayLasts } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, ask } from './ask.ts';
import { World } from './harness.ts';
import {
  type ClusterNode,
  ownEngines,
  ownStack,
  type RedisCluster,
  start,
  startRedisCluster,
} from './redis-cluster.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const scope = new AsyncDisposableStack();
let cluster: RedisCluster;
let world: World;
/** Two gateways with long timeouts, which use Redis however busy this machine is. */
let patient: readonly string[];
/** A gateway with the product's timeouts, and what it logs. */
let gateway: string;
const lines: string[] = [];

beforeAll(async () => {
  const engines = await ownEngines(scope);
  const ports = await engines.ports(['mongodb', 'postgres']);
  const mongo = await start(scope, engines.documentdb(ports));
  cluster = await startRedisCluster(engines, scope);
  world = scope.use(await World.start(ownStack(mongo.url, cluster.url)));
  patient = [await world.gateway(), await world.gateway()];
  const log = createLogger({
    service: 'gateway',
    level: 'trace',
    destination: { write: (line) => lines.push(line) },
  });
  gateway = await world.gateway({ impatient: true, log });
});
afterAll(() => scope.disposeAsync());

type Customer = Awaited<ReturnType<World['customer']>>;

const isDegraded = (answer: Answer) => answer.headers.get('x-ratelimit-degraded') === '1';
const masterOf = ({ account }: Customer) => world.redis.masterOf(`{${account}}:windows`);

/** A customer of each master. */
async function customersEverywhere(): Promise<Map<string, Customer>> {
  await eventually(() => checkMasters(world.redis)); // afterwards the client knows the masters
  const found = new Map<string, Customer>();
  while (found.size < world.redis.masters().length) {
    const customer = await world.customer();
    const master = masterOf(customer);
    if (master !== undefined && !found.has(master)) found.set(master, customer);
  }
  return found;
}

/** A customer of this master. */
async function customerOf(master: string, limits?: Parameters<World['customer']>[0]): Promise<Customer> {
  for (;;) {
    const customer = await world.customer(limits);
    if (masterOf(customer) === master) return customer;
  }
}

/** Sends three times as many requests as the day's limit, all at once and over both gateways. @returns how many were admitted. */
async function admittedOf({ key }: Customer, limit: number): Promise<number> {
  const asked = Array.from({ length: 3 * limit }, (_, index) => patient[index % patient.length] ?? '');
  const answers = await Promise.all(asked.map((url) => ask(url, '/v1/signals', { key })));
  for (const answer of answers) {
    expect(isDegraded(answer)).toBe(false);
    expect([200, 429]).toContain(answer.status);
  }
  return answers.filter(({ status }) => status === 200).length;
}

async function untilRedisDecides(): Promise<void> {
  const customers = [...(await customersEverywhere()).values()];
  await eventually(
    async () => {
      for (const url of [gateway, ...patient]) {
        for (const { key } of customers)
          expect(isDegraded(await ask(url, '/v1/signals', { key }))).toBe(false);
      }
    },
    { timeoutMs: 60_000 },
  );
}

describe('limits on a cluster of Redis', () => {
  beforeEach(() => untilDayLasts(), dayHookMs);

  it('are exact over two gateways, for accounts on every master', async () => {
    await untilRedisDecides();
    const before = await Promise.all(cluster.nodes.map(keysOf));
    for (const master of world.redis.masters()) {
      for (let account = 0; account < 4; account += 1) {
        expect(await admittedOf(await customerOf(master, { perDay: 20 }), 20)).toBe(20);
      }
    }
    await eventually(async () => {
      // Replicas have their masters' keys a moment later.
      const after = await Promise.all(cluster.nodes.map(keysOf));
      expect(before.filter((keys, index) => keys < (after[index] ?? 0))).toHaveLength(cluster.nodes.length);
    });
  });
});

const password = () => /:([0-9a-f]+)@/.exec(cluster.url)?.[1] ?? '';
const tell = ({ node }: ClusterNode, what: string) => node.cli('-a', password(), '--no-auth-warning', what);
const keysOf = async (node: ClusterNode) => Number(await tell(node, 'dbsize'));
const roleOf = async (node: ClusterNode) => (await tell(node, 'role')).split('\n')[0];

/** Sends requests of these customers, one after the other, until `end` is called, which returns the results of each customer. */
function keepAsking(customers: readonly Customer[]) {
  let asking = true;
  const results = customers.map(() => ({ degraded: 0, failed: 0, slowestMs: 0 }));
  const done = (async () => {
    while (asking) {
      for (const [index, { key }] of customers.entries()) {
        const result = results[index];
        if (result === undefined) continue;
        const startedAt = performance.now();
        const answer = await ask(gateway, '/v1/signals', { key });
        result.slowestMs = Math.max(result.slowestMs, performance.now() - startedAt);
        if (answer.status !== 200) result.failed += 1;
        if (isDegraded(answer)) result.degraded += 1;
      }
    }
  })();
  return {
    end: async () => {
      asking = false;
      await done;
      return results;
    },
  };
}

type Trouble = {
  readonly how: string;
  readonly hurt: (node: ClusterNode) => Promise<void>;
  readonly mend: (node: ClusterNode) => Promise<void>;
  /** Whether its replica takes its place. */
  readonly replaced: boolean;
};

const troubles: readonly Trouble[] = [
  {
    how: 'killed',
    hurt: ({ node }) => node.kill(),
    mend: ({ node }) => node.start(),
    replaced: true,
  },
  {
    how: 'cut off from its clients and its replica',
    hurt: async ({ proxy }) => proxy.hang(),
    mend: async ({ proxy }) => {
      proxy.cut();
      proxy.restore();
    },
    replaced: false,
  },
];

describe.each(troubles)('with a master of the cluster $how', ({ hurt, mend, replaced }) => {
  it('every request is answered, the accounts of the master are counted in the process until it or its replica serves, and limits are exact again', async () => {
    await cluster.whole();
    await untilRedisDecides();
    const customers = await customersEverywhere();
    const [[name, theirs] = ['', undefined], ...others] = customers;
    const revoked = await customerOf(name);
    for (const url of [gateway, ...patient]) {
      expect((await ask(url, '/v1/signals', { key: revoked.key })).status).toBe(200);
    }
    lines.length = 0;
    const load = keepAsking([...customers.values()]);
    try {
      const node = cluster.find(name);
      await hurt(node);
      await eventually(async () => {
        expect(isDegraded(await ask(gateway, '/v1/signals', { key: theirs?.key ?? '' }))).toBe(true);
        expect(await world.metric(gateway, 'sigcast_gateway_redis_in_use')).toBe(0);
      });
      const { checks } = (await (await world.probe(gateway, '/readyz')).json()) as { checks: object };
      expect(checks).toMatchObject({ redis: 'failing', mongodb: 'ok' });

      // A key that is revoked during the outage is refused from now on, also when Redis decides again.
      await world.keys.revoke(revoked.sha256);
      if (!replaced) await mend(node);
      for (let away = true; away; ) {
        away = isDegraded(await ask(gateway, '/v1/signals', { key: theirs?.key ?? '' }));
        expect((await ask(gateway, '/v1/signals', { key: revoked.key })).status).toBe(401);
      }
      if (replaced) await mend(node);
      await cluster.whole();
      expect(await roleOf(node)).toBe(replaced ? 'slave' : 'master');
      await untilRedisDecides();
    } finally {
      const results = await load.end();
      for (const { failed, slowestMs } of results) {
        expect(failed).toBe(0);
        // A silent connection is given up after two seconds. No request waits for that.
        expect(slowestMs).toBeLessThan(2_000);
      }
      expect(results[0]?.degraded).toBeGreaterThan(0);
    }
    expect(others).toHaveLength(2);
    for (const url of patient) {
      expect((await ask(url, '/v1/signals', { key: revoked.key })).status).toBe(401);
    }
    for (let account = 0; account < 6; account += 1) {
      expect(await admittedOf(await world.customer({ perDay: 20 }), 20)).toBe(20);
    }
    expect(await world.metric(gateway, 'sigcast_gateway_redis_in_use')).toBe(1);
    const said = lines.map((line) => JSON.parse(line) as { level: string; msg: string; master?: string });
    const warnings = said.filter(({ level, master }) => level === 'warn' && master === name);
    expect(warnings.map(({ msg }) => msg)).toContain(
      'redis: not in use, requests are counted in this process',
    );
    expect(lines.join('')).not.toContain(password());
  });
});
