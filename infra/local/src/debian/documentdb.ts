import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'bson';
import { type BackingService, processService } from '../backing-service.ts';
import { encodeMessage } from '../documentdb/wire.ts';
import { answers } from '../probe.ts';
import type { Cluster } from './cluster.ts';
import { AS_POSTGRES, POSTGRES_BIN } from './documentdb-root.ts';
import type { InstanceOptions } from './instance.ts';
import { postgresqlConf } from './postgres-settings.ts';

const GATEWAY = fileURLToPath(new URL('../documentdb/main.ts', import.meta.url));

const PING = encodeMessage(serialize({ ping: 1, $db: 'admin' }), 1, 0);

// Asks for TLS (length 8, code 80877103); any server answers with one letter, a starting one not at all.
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]);

/** A private cluster with DocumentDB and the wire gateway before it: what a MongoDB driver connects to. */
export function documentdbService(
  options: InstanceOptions & {
    readonly cluster: Cluster;
    readonly ports: { readonly mongodb: number; readonly postgres: number };
  },
): BackingService {
  const { dataDir, cluster, ports, ephemeral, signal } = options;
  const logs = join(dataDir, 'logs');
  const conf = postgresqlConf({ port: ports.postgres, ephemeral });
  writeFileSync(join(cluster.dataDir, 'postgresql.conf'), conf);
  const postgres = [
    ...[...AS_POSTGRES, '/usr/bin/setpriv', '--pdeathsig', 'INT'],
    ...[`${POSTGRES_BIN}/postgres`, '-D', cluster.dataDirInRoot],
  ];
  const cleanPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return processService({
    name: 'mongo',
    url: `mongodb://127.0.0.1:${ports.mongodb}/?directConnection=true`,
    signal,
    steps: [
      {
        spec: {
          name: 'PostgreSQL',
          command: cluster.enter(postgres),
          // DocumentDB creates collections over a connection to its own server, which reads the password here.
          env: { PATH: cleanPath, LANG: 'C.UTF-8', TZ: 'UTC', PGPASSWORD: cluster.password },
          cwd: '/',
          logFile: join(logs, 'postgres.log'),
          // A fast shutdown: ends sessions, writes a checkpoint.
          stopSignal: 'SIGINT',
          // Like a crash: no checkpoint, recovery at the next start; but it takes its processes with it.
          killSignal: 'SIGQUIT',
          // Set inside, after the change of user, which clears it.
          parentDeathSignal: 'SIGKILL',
        },
        probe: () => answers(ports.postgres, SSL_REQUEST, (answer) => answer.length === 1),
        readyTimeoutMs: 60_000,
      },
      {
        spec: {
          name: 'The DocumentDB gateway',
          command: [process.execPath, GATEWAY],
          env: {
            PATH: cleanPath,
            GATEWAY_PORT: String(ports.mongodb),
            POSTGRES_PORT: String(ports.postgres),
            POSTGRES_PASSWORD: cluster.password,
          },
          cwd: '/',
          logFile: join(logs, 'documentdb-gateway.log'),
          stopSignal: 'SIGTERM',
          killSignal: 'SIGKILL',
          parentDeathSignal: 'SIGKILL',
        },
        probe: () => answers(ports.mongodb, PING, (answer) => answer.length > 16),
        readyTimeoutMs: 30_000,
      },
    ],
  });
}
