import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BackingService, processService, type Step } from '../backing-service.ts';
import { nodeEnvironment } from '../node-environment.ts';
import { answers, mongodbAnswers } from '../probe.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { type EngineDir, type EnginePlace, engineDir } from './engine-dir.ts';
import { asPostgres, postgresBin } from './engine-root.ts';
import { cleanPath, type InstanceOptions } from './instance.ts';
import { postgresqlConf } from './postgres-settings.ts';

const gatewayProgram = fileURLToPath(new URL('../documentdb/main.ts', import.meta.url));

// A request for TLS (length 8, code 80877103). A server answers with one letter; a server that is still starting does not answer.
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]);

/** A private cluster with DocumentDB, and the wire gateway in front of it, which a MongoDB driver connects to. */
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
      // DocumentDB creates collections over a connection to its own server, for which it needs the password.
      env: { PATH: cleanPath, LANG: 'C.UTF-8', TZ: 'UTC', PGPASSWORD: password },
      cwd: '/',
      logFile: join(dataDir, 'logs', 'postgres.log'),
      // PostgreSQL's fast shutdown: it ends sessions and writes a checkpoint.
      stopSignal: 'SIGINT',
      // PostgreSQL's immediate shutdown is like a crash: no checkpoint, and recovery at the next start. Its own processes end too.
      killSignal: 'SIGQUIT',
      // For the process outside. The change of user clears the signal, so the command sets another one inside.
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
      name: 'The wire gateway',
      command: [process.execPath, gatewayProgram],
      env: nodeEnvironment({
        PATH: cleanPath,
        GATEWAY_PORT: String(ports.mongodb),
        POSTGRES_PORT: String(ports.postgres),
        POSTGRES_PASSWORD: password,
      }),
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
