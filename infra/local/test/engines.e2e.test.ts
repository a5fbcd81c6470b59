import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Engines, openEngines } from '../src/index.ts';
import {
  canStartInstances,
  removeTemporaryDirs,
  startTimeoutMs,
  temporaryDir,
  within20s,
} from './support.ts';

const onDebian = canStartInstances ? describe : describe.skip;

let engines: Engines;
let started: { kill(): Promise<void> }[] = [];
beforeEach(async () => {
  engines = await openEngines({ dataDir: temporaryDir(), ephemeral: true, report: () => undefined });
});
afterEach(async () => {
  // In reverse, so that the port mapper ends after its nodes.
  for (const service of started.reverse()) await service.kill();
  started = [];
});
afterAll(removeTemporaryDirs);

async function start<T extends { start(): Promise<void>; kill(): Promise<void> }>(service: T): Promise<T> {
  started.push(service);
  await service.start();
  return service;
}

onDebian('engines', () => {
  it(
    'run several RabbitMQ nodes that find one another and become a cluster',
    async () => {
      const { epmd, ...ports } = await engines.ports(['a', 'aPeers', 'b', 'bPeers', 'epmd']);
      const cluster = {
        erlangCookie: 'shared',
        ownPortMapper: false,
        configuration: () => [
          'cluster_formation.peer_discovery_backend = classic_config',
          'cluster_formation.classic_config.nodes.1 = a@localhost',
          'cluster_formation.classic_config.nodes.2 = b@localhost',
        ],
      };
      await start(engines.portMapper(epmd));
      const make = (name: 'a' | 'b') =>
        engines.rabbitmqNode({
          ...cluster,
          name,
          ports: { amqp: ports[name], distribution: ports[`${name}Peers`], epmd },
        });
      // Both at once, because each node waits for the other.
      const [a, b] = await Promise.all([start(make('a')), start(make('b'))]);
      const status = JSON.parse(await a.ctl('cluster_status', '--formatter', 'json')) as unknown;
      expect(status).toMatchObject({ running_nodes: expect.arrayContaining([a.nodeName, b.nodeName]) });
      expect(await b.ctl('version')).toMatch(/^4\./);
    },
    startTimeoutMs,
  );

  it(
    'run several Redis nodes that become a cluster',
    async () => {
      const names = ['one', 'two', 'three'] as const;
      const ports = await engines.ports([...names, 'oneBus', 'twoBus', 'threeBus']);
      for (const name of names) {
        const bus = String(ports[`${name}Bus`]);
        const args = () => ['--cluster-enabled', 'yes', '--cluster-port', bus];
        await start(engines.redisNode({ name, port: ports[name], args }));
      }
      const one = engines.redisNode({ name: 'one', port: ports.one });
      const addresses = names.map((name) => `127.0.0.1:${ports[name]}`);
      await one.cli('--cluster', 'create', ...addresses, '--cluster-yes');
      await eventually(
        async () => expect(await one.cli('cluster', 'info')).toContain('cluster_state:ok'),
        within20s,
      );
      expect(await one.cli('info', 'server')).toMatch(/redis_version:8\./);
    },
    startTimeoutMs,
  );

  it(
    'give a Redis node the files that its settings name, such as its users',
    async () => {
      const ports = await engines.ports(['redis']);
      const node = await start(
        engines.redisNode({
          name: 'guarded',
          port: ports.redis,
          files: { 'users.acl': 'user default on >secret ~* &* +@all\n' },
          args: (dir) => ['--aclfile', `${dir}/users.acl`],
        }),
      );
      expect(await node.cli('ping')).toContain('NOAUTH');
      expect(await node.cli('-a', 'secret', '--no-auth-warning', 'ping')).toBe('PONG\n');
    },
    startTimeoutMs,
  );
});
