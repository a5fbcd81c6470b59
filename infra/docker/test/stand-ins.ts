import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ensureEngineRoot, thisMachine } from '@sigcast/local';
import { cached, minimalDebian } from './debian.ts';
import type { Engine } from './engine.ts';

const sources = join(import.meta.dirname, 'stand-ins');
const targets: Readonly<Record<string, string>> = {
  node: 'node:24-bookworm-slim',
  haproxy: 'haproxy:3.2',
  redis: 'redis:8',
  rabbitmq: 'rabbitmq:4',
  mongo: 'mongo:8',
};

type Options = { readonly engine: Engine; readonly dir: string; readonly report: (line: string) => void };

/** Imports the file trees of the stand-ins, and builds all of them but MongoDB's. */
export async function makeStandIns(options: Options): Promise<void> {
  const { engine, dir, report } = options;
  const debian = await cached('debian-haproxy-1.tar', minimalDebian, report);
  await engine.docker(['import', debian, 'sigcast-stand-in/debian']);
  const logFile = join(dir, 'root.log');
  const root = await ensureEngineRoot({ mayMount: thisMachine().mayMount(), logFile, report });
  await importTree(engine, root.path, 'sigcast-stand-in/root');
  const context = join(dir, 'stand-ins');
  cpSync(sources, context, { recursive: true });
  cpSync(realpathSync(process.execPath), join(context, 'node'));
  cpSync(npmDirectory(), join(context, 'npm'), { recursive: true });
  await build(options, ['node', 'haproxy', 'redis', 'rabbitmq']);
}

/** Builds the stand-in for MongoDB. It contains the wire gateway, so the image `sigcast/setup` has to be there. */
export async function makeMongoStandIn(options: Options): Promise<void> {
  await build(options, ['mongo']);
  rmSync(join(options.dir, 'stand-ins'), { recursive: true });
}

/** Builds images with compose, which contains the builder that Debian's Docker client lacks. */
async function build({ engine, dir }: Options, names: readonly string[]): Promise<void> {
  const services = Object.fromEntries(
    names.map((name) => [
      name,
      { image: targets[name], build: { context: join(dir, 'stand-ins'), target: name } },
    ]),
  );
  const file = join(dir, 'stand-ins.json');
  mkdirSync(dir, { recursive: true });
  writeFileSync(file, JSON.stringify({ name: 'stand-ins', services }));
  await engine.docker(['compose', '-f', file, 'build', '--quiet']);
}

/** Imports a file tree as an image, without the database's template, whose owner is another user in a container. */
async function importTree(engine: Engine, root: string, tag: string): Promise<void> {
  const tar = spawn('tar', ['-C', root, '--exclude=./var/lib/sigcast', '-c', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const imported = spawn('docker', ['import', '-', tag], {
    env: { ...process.env, ...engine.env },
    stdio: [tar.stdout, 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => imported.once('exit', resolve));
  if (code !== 0) throw new Error(`${root} could not be imported`);
}

/** The folder of this machine's npm, which runs `npx pnpm@12`. */
function npmDirectory(): string {
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(dir, 'npm');
    // `npm` is a link to npm/bin/npm-cli.js.
    if (existsSync(program)) return join(realpathSync(program), '..', '..');
  }
  throw new Error('There is no npm in the PATH');
}
