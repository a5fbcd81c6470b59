import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BackingService, processService } from '../backing-service.ts';
import { answers } from '../probe.ts';
import type { InstanceOptions } from './instance.ts';

/** A private Redis on the given port, listening on the loopback address only. */
export function redisService(options: InstanceOptions & { readonly port: number }): BackingService {
  const { dataDir, port, ephemeral, signal } = options;
  const dir = join(dataDir, 'redis');
  mkdirSync(dir, { recursive: true });
  const command = [
    '/usr/bin/redis-server',
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''],
    ...['--appendonly', ephemeral ? 'no' : 'yes', '--daemonize', 'no', '--logfile', ''],
  ];
  return processService({
    name: 'redis',
    url: `redis://127.0.0.1:${port}`,
    signal,
    steps: [
      {
        spec: {
          name: 'Redis',
          command,
          logFile: join(dataDir, 'logs', 'redis.log'),
          stopSignal: 'SIGTERM',
          killSignal: 'SIGKILL',
          parentDeathSignal: 'SIGTERM',
        },
        // While it loads its data Redis answers -LOADING, which is not ready.
        probe: () => answers(port, 'PING\r\n', (answer) => answer.toString().startsWith('+PONG')),
        readyTimeoutMs: 30_000,
      },
    ],
  });
}
