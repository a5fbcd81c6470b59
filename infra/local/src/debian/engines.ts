import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BackingService } from '../backing-service.ts';
import { type Machine, thisMachine } from '../machine.ts';
import { rememberedPorts } from '../ports.ts';
import type { Report } from '../report.ts';
import { checkFreeDisk } from './disk.ts';
import { documentdbService } from './documentdb.ts';
import { ensureEngineRoot } from './engine-root.ts';
import type { InstanceOptions } from './instance.ts';
import { portMapper, type RabbitmqNode, type RabbitmqNodeOptions, rabbitmqNode } from './rabbitmq.ts';
import { type RedisNode, type RedisNodeOptions, redisNode } from './redis.ts';

/** Makes private instances of DocumentDB, RabbitMQ and Redis; none is started before its `start` is called. */
export type Engines = {
  /** Free ports of the loopback address by name. `<dataDir>/ports.json` keeps them over restarts. */
  ports<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>>;
  documentdb(ports: { readonly mongodb: number; readonly postgres: number }): BackingService;
  /**
   * One node. Nodes of a cluster share an Erlang cookie and a {@link portMapper}. Start them at the same time: each waits
   * for the others.
   */
  rabbitmqNode(options: RabbitmqNodeOptions): RabbitmqNode;
  /** Tells the nodes of a RabbitMQ cluster where the others are. Start it before the nodes, and stop it after them. */
  portMapper(port: number): BackingService;
  /** One server. With `args` it becomes a node of a cluster, or a Sentinel. */
  redisNode(options: RedisNodeOptions): RedisNode;
};

export type EnginesOptions = Omit<InstanceOptions, 'ephemeral'> & {
  /** For tests: faster, does not survive a power cut, and Redis keeps nothing over a restart. */
  readonly ephemeral?: boolean;
  /** Called with a line for each thing that is built. */
  readonly report: Report;
  /** The capabilities of this machine. Default: they are detected. */
  readonly machine?: Machine;
};

/**
 * Opens the engines of this machine. The first call builds them, which takes half a minute and 340 MB. Processes that are
 * started end with this process, however it ends; their data stays until `removeData`.
 * @throws when this is not Debian or Ubuntu, or not root, or the disk is full.
 */
export async function openEngines(options: EnginesOptions): Promise<Engines> {
  const { dataDir, report, signal, ephemeral = false, machine = thisMachine() } = options;
  if (!machine.isDebianRoot()) throw new Error('Engines can be started only as root on Debian or Ubuntu');
  mkdirSync(dataDir, { recursive: true });
  checkFreeDisk(dataDir);
  const mayMount = machine.mayMount();
  const logFile = join(dataDir, 'logs', 'install.log');
  const place = { root: await ensureEngineRoot({ mayMount, logFile, report, signal }), dataDir, mayMount };
  const instance = { dataDir, ephemeral, signal };
  return {
    ports: (names) => rememberedPorts(join(dataDir, 'ports.json'), names),
    documentdb: (ports) => documentdbService(place, instance, ports),
    rabbitmqNode: (node) => rabbitmqNode(place, instance, node),
    portMapper: (port) => portMapper(place, instance, port),
    redisNode: (node) => redisNode(place, instance, node),
  };
}
