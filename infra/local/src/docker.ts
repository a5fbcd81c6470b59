import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackingService, Name } from './backing-service.ts';
import { rememberedPorts } from './ports.ts';

const COMPOSE_FILE = fileURLToPath(new URL('../../../docker-compose.yml', import.meta.url));

/** The port each listens on inside its container. */
const CONTAINER_PORTS: Readonly<Record<Name, number>> = { mongo: 27017, redis: 6379, rabbitmq: 5672 };

/** The one in the address below, whatever the environment says. */
const RABBITMQ_PASSWORD = 'sigcast';

const URLS: Readonly<Record<Name, (port: number) => string>> = {
  mongo: (port) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
  redis: (port) => `redis://127.0.0.1:${port}`,
  rabbitmq: (port) => `amqp://sigcast:${RABBITMQ_PASSWORD}@127.0.0.1:${port}`,
};

/**
 * The services of docker-compose.yml as a project of this data directory's own, published on the loopback
 * address by an override: the file itself publishes none of them.
 */
export async function dockerServices(
  names: readonly Name[],
  options: { readonly dataDir: string },
): Promise<ReadonlyMap<Name, BackingService>> {
  const { dataDir } = options;
  const ports = await rememberedPorts(join(dataDir, 'docker-ports.json'), names);
  const override = join(dataDir, 'docker-compose.override.json');
  const services = Object.fromEntries(
    names.map((name) => [name, { ports: [`127.0.0.1:${ports[name]}:${CONTAINER_PORTS[name]}`] }]),
  );
  writeFileSync(override, JSON.stringify({ services }, null, 2));
  const project = `sigcast-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`;
  const compose = (...args: readonly string[]) =>
    docker(['compose', '-p', project, '-f', COMPOSE_FILE, '-f', override, ...args]);
  // One at a time: two that create the project's network at once collide.
  let last: Promise<unknown> = Promise.resolve();
  const up = (name: Name) => {
    const next = last.then(() => compose('up', '-d', '--wait', '--no-deps', name));
    last = next.catch(() => undefined);
    return next;
  };
  const service = (name: Name): BackingService => ({
    name,
    url: URLS[name](ports[name]),
    how: 'docker',
    owned: true,
    start: () => up(name),
    stop: () => compose('stop', '-t', '6', name),
    kill: () => compose('kill', name),
    removeData: () => compose('down', '-v'),
  });
  return new Map(names.map((name) => [name, service(name)]));
}

function docker(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('docker', args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, RABBITMQ_PASSWORD },
    });
    let errors = '';
    child.stderr.on('data', (data: Buffer) => {
      errors = (errors + data.toString()).slice(-2_000);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`docker ${args.join(' ')} failed:\n${errors.trimEnd()}`));
    });
  });
}
