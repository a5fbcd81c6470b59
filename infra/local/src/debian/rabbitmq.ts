import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type BackingService, processService, type Step } from '../backing-service.ts';
import { amqpAnswers, answers } from '../probe.ts';
import { type EnginePlace, engineDir, runInside, writeFiles } from './engine-dir.ts';
import { cleanPath, type InstanceOptions } from './instance.ts';

/** The ports of one RabbitMQ node: for clients, for other nodes, and of the port mapper that says where the node is. */
export type RabbitmqPorts = { readonly amqp: number; readonly distribution: number; readonly epmd: number };

export type RabbitmqNodeOptions = {
  /** Tells nodes of one data directory apart: the node is called `<name>@localhost`. */
  readonly name: string;
  readonly ports: RabbitmqPorts;
  /** The secret that nodes of one cluster share. Default: another one at each start. */
  readonly erlangCookie?: string;
  /** Lines added to rabbitmq.conf. `dir` is the node's directory, which has `files`, as the node sees it. */
  readonly configuration?: (dir: string) => readonly string[];
  /** Files written into the node's directory, such as a certificate: content by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether a port mapper starts and stops with the node (default). Nodes of a cluster share one: {@link portMapper}. */
  readonly ownPortMapper?: boolean;
  /** After how many seconds of silence another node counts as down. Default: Erlang's 60. */
  readonly netTickTimeS?: number;
};

export type RabbitmqNode = BackingService & {
  readonly nodeName: string;
  /**
   * Runs `rabbitmqctl` against the node and returns what it printed.
   * @throws when the command fails, with what it printed.
   */
  ctl(...args: string[]): Promise<string>;
};

const cookieFile = '.erlang.cookie';

// Two schedulers, and no busy waiting: on a small machine the other services need the cores.
const serverArgs = '+S 2:2 +A 16 +sbwt none +sbwtdcpu none +sbwtdio none -start_epmd false';
const loopbackOnly = '-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}';

/**
 * A private RabbitMQ node, apart from a system-wide one. Its start script is RabbitMQ's own: Debian's wrapper would
 * switch the user and read /etc/rabbitmq.
 */
export function rabbitmqNode(
  place: EnginePlace,
  instance: InstanceOptions,
  options: RabbitmqNodeOptions,
): RabbitmqNode {
  const { name, ports, ownPortMapper = true, netTickTimeS = 60 } = options;
  const dir = engineDir(name, place);
  const nodeName = `${name}@localhost`;
  const env = environment(nodeName, ports, dir.inRoot, `-kernel net_ticktime ${netTickTimeS}`);
  const node: Step = {
    spec: {
      name: 'RabbitMQ',
      command: dir.enter(['/usr/lib/rabbitmq/bin/rabbitmq-server']),
      env,
      cwd: '/',
      logFile: join(instance.dataDir, 'logs', `${name}.log`),
      stopSignal: 'SIGTERM',
      killSignal: 'SIGKILL',
      // A kill loses nothing, because quorum queues are written ahead and synced. An orderly end would take seconds.
      parentDeathSignal: 'SIGKILL',
    },
    probe: () => amqpAnswers(ports.amqp),
    readyTimeoutMs: 60_000,
  };
  const service = processService({
    name,
    url: `amqp://guest:guest@127.0.0.1:${ports.amqp}`,
    signal: instance.signal,
    removeData: dir.remove,
    steps: () => {
      const lines = [...baseConfiguration(ports), ...(options.configuration?.(dir.inRoot) ?? [])];
      writeFiles(dir, {
        'rabbitmq.conf': `${lines.join('\n')}\n`,
        enabled_plugins: '[].\n',
        [cookieFile]: options.erlangCookie ?? randomBytes(24).toString('hex'),
        ...options.files,
      });
      return ownPortMapper ? [portMapperStep(place, instance, ports.epmd), node] : [node];
    },
  });
  const ctl = (...args: string[]) =>
    runInside(dir, ['/usr/lib/rabbitmq/bin/rabbitmqctl', '--node', nodeName, ...args], env);
  return { ...service, nodeName, ctl };
}

function environment(
  nodeName: string,
  ports: RabbitmqPorts,
  dir: string,
  erlangArgs: string,
): Record<string, string> {
  return {
    PATH: cleanPath,
    LANG: 'C.UTF-8',
    HOME: dir,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(ports.epmd),
    // Nothing is written into the root.
    ERL_CRASH_DUMP_SECONDS: '0',
    // The start script becomes the Erlang machine, instead of staying as its parent.
    detached: 'true',
    RABBITMQ_NODENAME: nodeName,
    RABBITMQ_CONF_ENV_FILE: `${dir}/none`,
    RABBITMQ_CONFIG_FILE: `${dir}/rabbitmq.conf`,
    RABBITMQ_CONFIG_FILES: `${dir}/none`,
    RABBITMQ_ADVANCED_CONFIG_FILE: `${dir}/none`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${dir}/enabled_plugins`,
    RABBITMQ_MNESIA_BASE: `${dir}/data`,
    RABBITMQ_LOG_BASE: `${dir}/data`,
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `${serverArgs} ${erlangArgs}`,
    RABBITMQ_CTL_ERL_ARGS: `${loopbackOnly} ${erlangArgs}`,
  };
}

/** A private port mapper (epmd). The nodes of a cluster find one another through it. */
export function portMapper(place: EnginePlace, instance: InstanceOptions, port: number): BackingService {
  return processService({
    name: 'port mapper',
    url: `epmd://127.0.0.1:${port}`,
    signal: instance.signal,
    removeData: () => undefined,
    steps: () => [portMapperStep(place, instance, port)],
  });
}

function portMapperStep(place: EnginePlace, { dataDir }: InstanceOptions, port: number): Step {
  return {
    spec: {
      name: "RabbitMQ's port mapper",
      // epmd has no files, so it needs no directory of its own.
      command: [
        ...['/usr/sbin/chroot', place.root.path],
        ...['/usr/bin/epmd', '-address', '127.0.0.1', '-port', `${port}`],
      ],
      env: { PATH: cleanPath },
      cwd: '/',
      logFile: join(dataDir, 'logs', 'epmd.log'),
      stopSignal: 'SIGKILL',
      killSignal: 'SIGKILL',
      parentDeathSignal: 'SIGKILL',
    },
    // A request for all names: a length of one byte, then 'n'.
    probe: () => answers(port, Buffer.from([0, 1, 0x6e]), (answer) => answer.length >= 4),
    readyTimeoutMs: 10_000,
  };
}

/**
 * Lines of rabbitmq.conf that bound each queue, by an operator policy of every virtual host that is made afterwards
 * (RabbitMQ: Policies). docs/operations.md says how a broker that has data already gets the bound. The bound is not an
 * argument of the queue: arguments can't be changed, and declaring a queue with other arguments fails.
 */
export const queueBound = [
  'default_policies.operator.bounded.vhost_pattern = .*',
  'default_policies.operator.bounded.queue_pattern = .*',
  'default_policies.operator.bounded.apply_to = queues',
  'default_policies.operator.bounded.max_length_bytes = 1GB',
];

function baseConfiguration(ports: RabbitmqPorts): string[] {
  return [
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    'distribution.listener.interface = 127.0.0.1',
    `distribution.listener.port_range.min = ${ports.distribution}`,
    `distribution.listener.port_range.max = ${ports.distribution}`,
    'num_acceptors.tcp = 2',
    // To standard output.
    'log.console = true',
    'log.console.level = info',
    'log.console.use_colors = off',
    'log.file = false',
    'vm_memory_high_watermark.absolute = 1GB',
    // What Erlang has allocated, because the root may have no /proc to read the process's memory from.
    'vm_memory_calculation_strategy = allocated',
    'disk_free_limit.absolute = 100MB',
    // 64 MiB. The write-ahead log is kept in memory too, and its default is 512 MB.
    'raft.wal_max_size_bytes = 67108864',
    ...queueBound,
  ];
}
