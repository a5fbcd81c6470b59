import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnginesOptions, openEngines, type RabbitmqNode } from '@sigcast/local';
import { startTcpProxy, type TcpProxy } from '@sigcast/testing';
import { startPeerNetwork } from './peer-network.ts';

/** A node and the network between it and its clients. */
export type ClusterNode = {
  readonly node: RabbitmqNode;
  readonly proxy: TcpProxy;
  /** The node's address by way of the proxy. */
  readonly url: string;
  /** Suspends the node's process: it keeps its connections to clients and to other nodes, and sends nothing. */
  freeze(): Promise<void>;
  /** Resumes the node's process. */
  thaw(): void;
  /** Cuts the node off from the other nodes, silently. Clients reach the node as before. */
  isolate(): void;
  /** Ends the isolation. */
  rejoin(): void;
};

/** Three nodes on loopback that are one cluster. */
export type RabbitmqCluster = AsyncDisposable & {
  readonly nodes: readonly ClusterNode[];
  readonly urls: readonly string[];
  /**
   * Has each node save which queues it is a member of. By itself a node does so about a second after a queue is declared; a
   * majority that is killed earlier has lost the queue ("name_not_registered" in the nodes' logs).
   */
  rememberQueues(): Promise<void>;
  /** The messages in each queue whose name begins with `prefix`, and how many of its members are online. */
  queues(
    prefix: string,
  ): Promise<Readonly<Record<string, { readonly messages: number; readonly online: number }>>>;
};

const names = ['one', 'two', 'three'] as const;
/** How soon silence between nodes, and between a node and a client, is noticed. By default it takes a minute, and 30 s. */
const netTickTimeS = 5;
const heartbeatS = 2;

/** Starts three nodes that find one another, and waits until each node knows the others. */
export async function startRabbitmqCluster(
  options: Omit<EnginesOptions, 'dataDir' | 'ephemeral'>,
): Promise<RabbitmqCluster> {
  await using scope = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-cluster-'));
  scope.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const engines = await openEngines({ ...options, dataDir, ephemeral: true });
  const ports = await engines.ports([
    'epmd',
    ...names.flatMap((name) => [`${name}-amqp`, `${name}-distribution`] as const),
  ]);
  const mapper = engines.portMapper(ports.epmd);
  scope.defer(() => mapper.kill());
  await mapper.start();
  const networks = await Promise.all(
    names.map(async (name) => ({
      distribution: ports[`${name}-distribution`],
      network: scope.use(await startPeerNetwork(ports.epmd)),
    })),
  );
  /** The proxies in both directions, because either of two nodes may have connected to the other. */
  const waysOf = (own: (typeof networks)[number]): TcpProxy[] =>
    networks
      .filter((other) => other !== own)
      .flatMap((other) => [
        own.network.wayTo(other.distribution) ?? [],
        other.network.wayTo(own.distribution) ?? [],
      ])
      .flat();
  const erlangCookie = randomBytes(24).toString('hex');
  const nodes = await Promise.all(
    names.map(async (name, at): Promise<ClusterNode> => {
      const own = networks[at] as (typeof networks)[number];
      const node = engines.rabbitmqNode({
        name,
        ports: {
          amqp: ports[`${name}-amqp`],
          distribution: own.distribution,
          epmd: own.network.port,
        },
        erlangCookie,
        ownPortMapper: false,
        netTickTimeS,
        configuration: () => [
          'cluster_formation.peer_discovery_backend = classic_config',
          ...names.map((peer, n) => `cluster_formation.classic_config.nodes.${n + 1} = ${peer}@localhost`),
        ],
      });
      const proxy = scope.use(await startTcpProxy({ host: '127.0.0.1', port: ports[`${name}-amqp`] }));
      let frozen: number | undefined;
      const thaw = () => {
        if (frozen !== undefined) process.kill(frozen, 'SIGCONT');
        frozen = undefined;
      };
      scope.defer(async () => {
        thaw();
        await node.kill();
        await node.removeData();
      });
      return {
        node,
        proxy,
        url: `${proxy.through(node.url)}?heartbeat=${heartbeatS}`,
        thaw,
        isolate: () => {
          for (const way of waysOf(own)) way.hang();
        },
        rejoin: () => {
          for (const way of waysOf(own)) way.restore();
        },
        freeze: async () => {
          const pid = Number.parseInt((await node.ctl('eval', 'os:getpid().')).replaceAll('"', ''), 10);
          process.kill(pid, 'SIGSTOP');
          frozen = pid;
        },
      };
    }),
  );
  await Promise.all(nodes.map(({ node }) => node.start()));
  for (const { node } of nodes) await node.ctl('await_online_nodes', String(names.length));

  const held = scope.move();
  return {
    nodes,
    urls: nodes.map(({ url }) => url),
    rememberQueues: async () => {
      const written = await Promise.all(
        nodes.map(({ node }) => node.ctl('eval', '[dets:sync(Table) || Table <- dets:all()].')),
      );
      for (const answer of written) {
        if (!/^\[ok(,\s*ok)*\]$/.test(answer.trim())) throw new Error(`a node did not write: ${answer}`);
      }
    },
    queues: async (prefix) => {
      const [first] = nodes as [ClusterNode];
      const columns = ['name', 'messages', 'online'];
      const list = await first.node.ctl('--silent', 'list_queues', '--formatter', 'json', ...columns);
      const all = JSON.parse(list) as { name: string; messages: number; online: string[] }[];
      const own = all.filter(({ name }) => name.startsWith(prefix));
      return Object.fromEntries(
        own.map(({ name, messages, online }) => [name, { messages, online: online.length }]),
      );
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
