import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Engine } from './engine.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const authorities = '/etc/ssl/certs/ca-certificates.crt';

/** The members of the demo file that tests read. `setup` writes the file when everything is ready. */
export type Demo = Readonly<
  Record<'gateway_url' | 'api_key' | 'signals_url' | 'ingest_token' | 'dashboard_email', string>
>;

/** The system of docker-compose.yml, with names, ports and secrets apart from those of a developer's system. */
export type Stack = {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: string;
  /** Runs `docker compose` on the project. */
  compose(...args: readonly string[]): Promise<string>;
  /** Runs `docker compose up` until its output matches. `stop` is Ctrl-C, and resolves when the command has ended. */
  up(until: RegExp): Promise<{ readonly output: string; stop(): Promise<void> }>;
  /** Runs a line in a shell, in the folder of docker-compose.yml. @throws when it fails, with its output. */
  shell(line: string): Promise<string>;
  /** Runs a program in a running container of a service. */
  exec(service: string, ...command: readonly string[]): Promise<string>;
  demo(): Demo;
  /** The ids of a service's containers, in the order of their numbers. */
  containers(service: string): Promise<readonly string[]>;
};

export function stackOn(engine: Engine, dir: string, ports: { clients: number; producers: number }): Stack {
  const state = join(dir, 'state');
  mkdirSync(state, { recursive: true });
  const env = {
    COMPOSE_PROJECT_NAME: 'sigcast-test',
    PORT: String(ports.clients),
    INGEST_PORT: String(ports.producers),
    SIGCAST_STATE: state,
    REVISION: 'the commit that is built',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_PORTS: '1024-65535',
    WEBHOOK_ALLOWED_NETWORKS: `${engine.hostAddress}/32`,
    // The authorities that this machine trusts, for a registry behind a private authority.
    CA_BUNDLE: process.env.NODE_EXTRA_CA_CERTS ?? authorities,
  };
  const file = ['compose', '-f', join(root, 'docker-compose.yml')];
  const compose = (...args: readonly string[]) => engine.docker([...file, ...args], { env });
  return {
    env,
    secrets: join(state, 'secrets'),
    compose,
    shell: async (line) => {
      const options = { cwd: root, env: { ...process.env, ...engine.env, ...env } };
      return (await run('bash', ['-c', line], options)).stdout;
    },
    exec: (service, ...command) => compose('exec', '-T', service, ...command),
    demo: () => JSON.parse(readFileSync(join(state, 'demo', 'demo.json'), 'utf8')) as Demo,
    containers: async (service) => {
      const lines = (await compose('ps', '--all', '--format', '{{.Name}} {{.ID}}', service))
        .trim()
        .split('\n');
      return lines.sort().map((line) => line.split(' ')[1] ?? '');
    },
    up: async (until) => {
      const child = spawn('docker', [...file, 'up'], {
        env: { ...process.env, ...engine.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      const { promise: said, resolve, reject } = Promise.withResolvers<void>();
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (data: Buffer) => {
          output += data.toString();
          if (until.test(output)) resolve();
        });
      }
      const ended = new Promise<void>((done) => {
        child.once('close', (code) => {
          reject(new Error(`docker compose up ended with ${code}:\n${output.slice(-4_000)}`));
          done();
        });
      });
      await said;
      return {
        output,
        stop: async () => {
          child.kill('SIGINT');
          await ended;
        },
      };
    },
  };
}
