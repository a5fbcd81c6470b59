import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BackingService, processService } from '../backing-service.ts';
import { answers } from '../probe.ts';
import type { InstanceOptions } from './instance.ts';

/** The ports of one RabbitMQ node: clients, its distribution listener, and its own port mapper. */
export type RabbitmqPorts = { readonly amqp: number; readonly distribution: number; readonly epmd: number };

// Two schedulers, and no busy waiting: on a small machine the other services need the cores.
const ERLANG_ARGS = '+S 2:2 +A 16 +sbwt none +sbwtdcpu none +sbwtdio none -start_epmd false';

/**
 * A private RabbitMQ node with a port mapper (epmd) of its own, so that neither a system-wide node is touched
 * nor a mapper stays behind. Debian's wrapper script is passed by: it would switch user and read /etc/rabbitmq.
 */
export function rabbitmqService(
  options: InstanceOptions & { readonly ports: RabbitmqPorts },
): BackingService {
  const { dataDir, ports, signal } = options;
  const dir = join(dataDir, 'rabbitmq');
  const logs = join(dataDir, 'logs');
  mkdirSync(join(dir, 'home'), { recursive: true });
  mkdirSync(join(dir, 'none'), { recursive: true });
  writeFileSync(join(dir, 'rabbitmq.conf'), configuration(ports));
  writeFileSync(join(dir, 'enabled_plugins'), '[].\n');
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: join(dir, 'home'),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(ports.epmd),
    // Makes the start script become the Erlang machine instead of staying as its parent.
    detached: 'true',
    RABBITMQ_NODENAME: 'sigcast@localhost',
    RABBITMQ_CONF_ENV_FILE: join(dir, 'none', 'rabbitmq-env.conf'),
    RABBITMQ_CONFIG_FILE: join(dir, 'rabbitmq.conf'),
    RABBITMQ_CONFIG_FILES: join(dir, 'none'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(dir, 'none', 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(dir, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(dir, 'mnesia'),
    RABBITMQ_LOG_BASE: logs,
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: ERLANG_ARGS,
  };
  const common = {
    env,
    cwd: dir,
    logFile: join(logs, 'rabbitmq-console.log'),
    killSignal: 'SIGKILL',
  } as const;
  return processService({
    name: 'rabbitmq',
    url: `amqp://guest:guest@127.0.0.1:${ports.amqp}`,
    signal,
    steps: [
      {
        spec: {
          ...common,
          name: "RabbitMQ's port mapper",
          command: ['/usr/bin/epmd', '-address', '127.0.0.1', '-port', String(ports.epmd)],
          stopSignal: 'SIGKILL',
          parentDeathSignal: 'SIGKILL',
        },
        // A request for all names: a length of one byte, then 'n'.
        probe: () => answers(ports.epmd, Buffer.from([0, 1, 0x6e]), (answer) => answer.length >= 4),
        readyTimeoutMs: 10_000,
      },
      {
        spec: {
          ...common,
          name: 'RabbitMQ',
          command: ['/usr/lib/rabbitmq/bin/rabbitmq-server'],
          stopSignal: 'SIGTERM',
          // Quorum queues are written ahead and synced: a kill loses nothing, and an orderly end takes seconds.
          parentDeathSignal: 'SIGKILL',
        },
        // The listener opens last: who answers the protocol header has its users, hosts and queues loaded.
        probe: () => answers(ports.amqp, Buffer.from('AMQP\x00\x00\x09\x01'), (answer) => answer[0] === 1),
        readyTimeoutMs: 60_000,
      },
    ],
  });
}

function configuration(ports: RabbitmqPorts): string {
  return [
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    'distribution.listener.interface = 127.0.0.1',
    `distribution.listener.port_range.min = ${ports.distribution}`,
    `distribution.listener.port_range.max = ${ports.distribution}`,
    'num_acceptors.tcp = 2',
    'log.console = false',
    'log.file = rabbitmq.log',
    'log.file.level = info',
    'vm_memory_high_watermark.absolute = 1GB',
    'disk_free_limit.absolute = 100MB',
    // The default of 512 MB is kept in memory too.
    'raft.wal_max_size_bytes = 67108864',
    '',
  ].join('\n');
}
