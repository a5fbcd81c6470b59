import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BackingService, processService, type Step } from '../backing-service.ts';
import { answers, mongodbAnswers } from '../probe.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { type EngineDir, type EnginePlace, engineDir } from './engine-dir.ts';
import { asPostgres, postgresBin } from './engine-root.ts';
import { cleanPath, type InstanceOptions } from './instance.ts';
import { postgresqlConf } from './postgres-settings.ts';

const gatewayProgram = fileURLToPath(new URL('../documentdb/main.ts', import.meta.url));

// Asks for TLS (length 8, code 80877103); any server answers with one letter, a starting one not at all.
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]);

/** A private cluster with DocumentDB and the wire gateway before it: what a MongoDB driver connects to. */
export function documentdbService(
  place: EnginePlace,
  instance: InstanceOptions,
  ports: { readonly mongodb: number; readonly postgres: number },
): BackingService {
  const dir = engineDir('documentdb', place);
  return processService({
    name: 'mongo',
    url: `mongodb://127.0.0.1:${ports.mongodb}/?directConnection=true`,
    signal: instance.signal,
    removeData: dir.remove,
    steps: () => {
      const cluster = openCluster(dir, place.root);
      const conf = postgresqlConf({ port: ports.postgres, ephemeral: instance.ephemeral });
      writeFileSync(join(cluster.data, 'postgresql.conf'), conf);
      return [
        postgresStep(dir.enter, cluster, { ...instance, port: ports.postgres }),
        gatewayStep(cluster, { ...instance, ports }),
      ];
    },
  });
}

function postgresStep(
  enter: EngineDir['enter'],
  { dataInRoot, password }: Cluster,
  { dataDir, port }: { readonly dataDir: string; readonly port: number },
): Step {
  return {
    spec: {
      name: 'PostgreSQL',
      command: enter([
        ...[...asPostgres, '/usr/bin/setpriv', '--pdeathsig', 'INT'],
        ...[`${postgresBin}/postgres`, '-D', dataInRoot],
      ]),
      // DocumentDB creates collections over a connection to its own server, which reads the password here.
      env: { PATH: cleanPath, LANG: 'C.UTF-8', TZ: 'UTC', PGPASSWORD: password },
      cwd: '/',
      logFile: join(dataDir, 'logs', 'postgres.log'),
      // A fast shutdown: ends sessions, writes a checkpoint.
      stopSignal: 'SIGINT',
      // Like a crash: no checkpoint, recovery at the next start; but it takes its processes with it.
      killSignal: 'SIGQUIT',
      // Set inside, after the change of user, which clears it.
      parentDeathSignal: 'SIGKILL',
    },
    probe: () => answers(port, sslRequest, (answer) => answer.length === 1),
    readyTimeoutMs: 60_000,
  };
}

function gatewayStep(
  { password }: Cluster,
  {
    dataDir,
    ports,
  }: { readonly dataDir: string; readonly ports: { readonly mongodb: number; readonly postgres: number } },
): Step {
  return {
    spec: {
      name: 'The DocumentDB gateway',
      command: [process.execPath, gatewayProgram],
      env: {
        PATH: cleanPath,
        GATEWAY_PORT: String(ports.mongodb),
        POSTGRES_PORT: String(ports.postgres),
        POSTGRES_PASSWORD: password,
      },
      cwd: '/',
      logFile: join(dataDir, 'logs', 'documentdb-gateway.log'),
      stopSignal: 'SIGTERM',
      killSignal: 'SIGKILL',
      parentDeathSignal: 'SIGKILL',
    },
    probe: () => mongodbAnswers(ports.mongodb),
    readyTimeoutMs: 30_000,
  };
}
