import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engines, openEngines, type RedisNode } from '@sigcast/local';
import { eventually, startTcpProxy, type TcpProxy, type TestStack } from '@sigcast/testing';

/** The time after which a cluster's nodes treat a silent node as failed: short, so that tests are quick. */
export const nodeTimeoutMs = 2_000;

/** A node of a cluster, and the proxy through which clients and replicas reach it. */
export type ClusterNode = {
  /** The name by which clients know the node: `host:port` of its proxy. */
  readonly name: string;
  readonly node: RedisNode;
  readonly proxy: TcpProxy;
};

export type RedisCluster = {
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  find(name: string): ClusterNode;
  /** Resolves when every node knows every other, all slots are served and each master has its replica. */
  whole(): Promise<void>;
};

/** Engines of a test's own. Their data is removed with `scope`. */
export async function ownEngines(scope: AsyncDisposableStack): Promise<Engines> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-clusters-'));
  scope.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  return openEngines({ dataDir, ephemeral: true, report: (line) => process.stderr.write(`${line}\n`) });
}

/** Starts a service that ends with `scope`. */
export async function start<T extends { start(): Promise<void>; kill(): Promise<void> }>(
  scope: AsyncDisposableStack,
  service: T,
): Promise<T> {
  scope.defer(() => service.kill());
  await service.start();
  return service;
}

/** Three masters with a replica each, all with a password. */
export async function startRedisCluster(
  engines: Engines,
  scope: AsyncDisposableStack,
): Promise<RedisCluster> {
  const password = randomBytes(12).toString('hex');
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const ports = await engines.ports(names.flatMap((name) => [name, `${name}-bus`]));
  const nodes = await Promise.all(
    names.map(async (name): Promise<ClusterNode> => {
      const port = ports[name] ?? 0;
      const proxy = scope.use(await startTcpProxy({ host: '127.0.0.1', port }));
      const args = () => [
        ...['--cluster-enabled', 'yes', '--cluster-port', `${ports[`${name}-bus`]}`],
        ...['--cluster-announce-port', `${proxy.port}`, '--cluster-node-timeout', `${nodeTimeoutMs}`],
        ...['--requirepass', password, '--masterauth', password, '--repl-diskless-sync-delay', '0'],
        // An orderly shutdown waits this long for replicas to have everything.
        ...['--shutdown-timeout', '2'],
      ];
      const node = await start(scope, engines.redisNode({ name, port, args }));
      return { name: `127.0.0.1:${proxy.port}`, node, proxy };
    }),
  );
  const authenticated = ['-a', password, '--no-auth-warning'];
  const first = nodes[0] as ClusterNode;
  const addresses = nodes.map(({ name }) => name);
  await first.node.cli(
    ...authenticated,
    '--cluster',
    'create',
    ...addresses,
    '--cluster-replicas',
    '1',
    '--cluster-yes',
  );

  const requireWhole = async ({ node, name }: ClusterNode) => {
    const known = (await node.cli(...authenticated, 'cluster', 'nodes')).trim().split('\n');
    const role = await node.cli(...authenticated, 'role');
    const masters = known.filter(
      (line) => / (myself,)?master - /.test(line) && / connected .*\d+-\d+/.test(line),
    );
    const replicas = known.filter((line) => / (myself,)?slave /.test(line) && / connected/.test(line));
    const served = new Set(replicas.map((line) => line.split(' ')[3]));
    const whole = masters.length === 3 && replicas.length === 3 && served.size === 3;
    const synced = role.startsWith('master') ? role.includes('127.0.0.1') : role.includes('connected');
    if (!whole || !synced)
      throw new Error(`${name} is not in a whole cluster:\n${known.join('\n')}\n${role}`);
  };
  const cluster: RedisCluster = {
    url: `redis-cluster://:${password}@${addresses.slice(0, 3).join(',')}`,
    nodes,
    find: (name) => {
      const found = nodes.find((node) => node.name === name);
      if (found === undefined) throw new Error(`no node is ${name}`);
      return found;
    },
    whole: () =>
      eventually(() => Promise.all(nodes.map(requireWhole)).then(() => undefined), { everyMs: 200 }),
  };
  await cluster.whole();
  return cluster;
}

/** A test stack over stores that end with the test, so that nothing in them has to be removed. */
export function ownStack(mongodbUri: string, redisUrl: string): TestStack {
  return {
    mongodbUri,
    redisUrl,
    amqpUrl: 'amqp://none.invalid',
    namespace: 'own',
    redisKeyPrefix: 'own:',
    database: (name) => name,
    ownQueues: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
