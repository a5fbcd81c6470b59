import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BackingService, processService } from '../backing-service.ts';
import { redisAnswers } from '../probe.ts';
import { type EnginePlace, engineDir, runInside, writeFiles } from './engine-dir.ts';
import { cleanPath, type InstanceOptions } from './instance.ts';

export type RedisNodeOptions = {
  /** Tells nodes of one data directory apart. */
  readonly name: string;
  /** For clients without TLS. `args` may add a port with TLS. */
  readonly port: number;
  /**
   * Added to the command line: `--cluster-enabled yes`, `--requirepass`, `--tls-port …`, `--sentinel`. `dir` is the
   * node's directory, which has `files`, as the node sees it.
   */
  readonly args?: (dir: string) => readonly string[];
  /** Files written into the node's directory at each start, such as a certificate: content by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Lines of a redis.conf, written at the first start only: Sentinel needs one and rewrites it. */
  readonly configuration?: readonly string[];
};

export type RedisNode = BackingService & {
  /**
   * Runs `redis-cli` against the node and returns what it printed.
   * @throws when the command fails, with what it printed. An error that Redis answers is returned, not thrown.
   */
  cli(...args: string[]): Promise<string>;
};

/** A private Redis on the given port, listening on the loopback address only. */
export function redisNode(
  place: EnginePlace,
  instance: InstanceOptions,
  options: RedisNodeOptions,
): RedisNode {
  const { name, port, configuration, files = {} } = options;
  const dir = engineDir(name, place);
  const env = { PATH: cleanPath, LANG: 'C.UTF-8', TZ: 'UTC' };
  const command = [
    '/usr/bin/redis-server',
    ...(configuration ? [`${dir.inRoot}/redis.conf`] : []),
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir.inRoot, '--save', ''],
    ...['--appendonly', instance.ephemeral ? 'no' : 'yes', '--daemonize', 'no', '--logfile', ''],
    ...(options.args?.(dir.inRoot) ?? []),
  ];
  const prepare = () => {
    mkdirSync(dir.path, { recursive: true });
    const first = configuration && !existsSync(join(dir.path, 'redis.conf'));
    writeFiles(dir, { ...files, ...(first ? { 'redis.conf': `${configuration.join('\n')}\n` } : {}) });
  };
  const service = processService({
    name,
    url: `redis://127.0.0.1:${port}`,
    signal: instance.signal,
    removeData: dir.remove,
    steps: () => {
      prepare();
      return [
        {
          spec: {
            name: 'Redis',
            command: dir.enter(command),
            env,
            cwd: '/',
            logFile: join(instance.dataDir, 'logs', `${name}.log`),
            stopSignal: 'SIGTERM',
            killSignal: 'SIGKILL',
            parentDeathSignal: 'SIGTERM',
          },
          probe: () => redisAnswers(port),
          readyTimeoutMs: 30_000,
        },
      ];
    },
  });
  return {
    ...service,
    cli: (...args) => runInside(dir, ['/usr/bin/redis-cli', '-p', `${port}`, ...args], env),
  };
}
