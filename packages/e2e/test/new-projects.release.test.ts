import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '@sigcast/local';
import { clientNodeVersions, eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from './command.ts';
import { type TestSystem, testSystem } from './system.ts';

const run = promisify(execFile);
const nodes = clientNodeVersions();
const inRepository = (path: string) => join(import.meta.dirname, '../../..', path);

/** A first program of a user: reads a signal, receives webhooks, follows events. Each line that it prints is JSON. */
const program = `import { once } from 'node:events';
import { createServer } from 'node:http';
import { nodeWebhookHandler, Sigcast } from '@sigcast/client';

const apiKey = process.env.SIGCAST_API_KEY ?? '';
const sigcast = new Sigcast({ apiKey, baseUrl: process.env.SIGCAST_URL ?? '' });
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());

const { data: signals } = await sigcast.signals.list({ limit: 1 });
console.log(JSON.stringify({ symbol: signals[0]?.token.symbol }));

const server = createServer((request, response) => receive(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const { data: hook } = await sigcast.webhooks.create({
  url: \`http://127.0.0.1:\${port}/\`,
  events: ['signal.new'],
});
const receive = nodeWebhookHandler({
  secret: hook.secret,
  handle: ({ data }, { id }) => console.log(JSON.stringify({ received: id, signal: data.id })),
});

const onConnection = ({ state }: { state: string }) => console.log(JSON.stringify({ connection: state }));
for await (const { id, data } of sigcast.stream({ signal: stopping.signal, onConnection })) {
  console.log(JSON.stringify({ streamed: id, signal: data.id }));
}
server.close();
server.closeAllConnections();
`;
const inJavaScript = program.replace(': { state: string }', '');
const inCommonJs = `${inJavaScript
  .replaceAll(/^import (.*) from ('.*');$/gm, 'const $1 = require($2);')
  .replace('\n\nconst apiKey', '\n\n(async () => {\nconst apiKey')}})();\n`;

type Project = {
  /** The package manager that installs the package. */
  readonly manager: 'npm' | 'pnpm';
  readonly source: { readonly name: string; readonly text: string };
  /** Options of TypeScript besides `strict`. A project without them is not compiled. */
  readonly compilerOptions?: Readonly<Record<string, string>>;
  /** The file to run. Default: the source. */
  readonly entry?: string;
};

const typescript = {
  manager: 'npm',
  source: { name: 'program.ts', text: program },
  entry: 'built/program.js',
} as const;

const projects: Readonly<Record<string, Project>> = {
  'npm + JavaScript': { manager: 'npm', source: { name: 'program.js', text: inJavaScript } },
  'npm + JavaScript, CommonJS': { manager: 'npm', source: { name: 'program.cjs', text: inCommonJs } },
  'npm + TypeScript, nodenext': { ...typescript, compilerOptions: { module: 'nodenext' } },
  'npm + TypeScript, bundler': {
    ...typescript,
    compilerOptions: { module: 'preserve', moduleResolution: 'bundler' },
  },
  pnpm: { manager: 'pnpm', source: { name: 'program.js', text: inJavaScript } },
};

let system: TestSystem;
let receiver: Receiver;
let dir: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  system = await testSystem();
  // As many streams as there are programs.
  const limits = ['--per-minute', '1000000', '--per-day', '1000000', '--streams', '50'];
  await system.operator('plan', 'set', 'unlimited', ...limits);
  receiver = await startReceiver();
  dir = mkdtempSync(join(tmpdir(), 'sigcast-projects-'));
}, 240_000);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  if (dir) rmSync(dir, { recursive: true, force: true });
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
}, 30_000);

/** Makes a project in a folder of its own, installs the package there and compiles it. @returns the folder. */
async function makeProject(packed: string, { manager, source, compilerOptions }: Project): Promise<string> {
  const project = mkdtempSync(join(dir, `${manager}-`));
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  const install = {
    npm: () => run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], { cwd: project }),
    pnpm: () => run(pnpm(), ['add', '--offline', '--ignore-workspace', packed], { cwd: project }),
  };
  await install[manager]();
  writeFileSync(join(project, source.name), source.text);
  if (compilerOptions === undefined) return project;
  mkdirSync(join(project, 'node_modules/@types'));
  symlinkSync(inRepository('node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  const settings = { strict: true, target: 'es2023', lib: ['es2023'], types: ['node'], outDir: 'built' };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...settings, rootDir: '.', ...compilerOptions },
      files: [source.name],
    }),
  );
  await run(inRepository('node_modules/.bin/tsc'), [], { cwd: project }).catch(({ stdout }) => {
    throw new Error(String(stdout));
  });
  return project;
}

function pnpm(): string {
  const program = process.env.npm_execpath ?? '';
  expect(program).toMatch(/pnpm/);
  return program;
}

type Line = { readonly streamed?: string; readonly received?: string; readonly signal?: string };
type Running = ReturnType<typeof startProgram> & { readonly name: string };

function start(name: string, command: string, args: readonly string[], env = {}): Running {
  const given = { SIGCAST_API_KEY: system.apiKey, SIGCAST_URL: system.gatewayUrl, ...env };
  const started = startProgram(command, args, { env: given });
  running.push(started.child);
  return { ...started, name };
}

async function createMany(count: number): Promise<string[]> {
  const created: string[] = [];
  for (let n = 0; n < count; n++) created.push(await system.createSignal());
  return created;
}

/** Waits until `check` does not throw for any of the programs. @throws an error that names the program for which it does. */
async function allOf(
  programs: readonly Running[],
  check: (one: Running) => void,
  timeoutMs = 60_000,
): Promise<void> {
  for (const one of programs) {
    await eventually(
      () => {
        try {
          check(one);
        } catch (error) {
          throw new Error(`${one.name}: ${one.out()}${one.err()}`, { cause: error });
        }
      },
      { timeoutMs },
    );
  }
}

/** Less than what the test has left, so that the program that does not end is named. */
const endsWithinMs = 20_000;
/** Waits until each of the programs has ended with the code. */
const allEnd = (programs: readonly Running[], code: number) =>
  allOf(
    programs,
    ({ child }) => expect([child.exitCode, child.signalCode]).toEqual([code, null]),
    endsWithinMs,
  );

const distinct = (ids: readonly (string | undefined)[]) => [...new Set(ids.filter((id) => id !== undefined))];

describe('a new project that installs the packed client', () => {
  it('reads a signal, receives a verified webhook, and follows events across a restart of the gateway without a gap, in every version of Node', async () => {
    const packed = await packClient(mkdtempSync(join(dir, 'packed-')));
    await system.createSignal();

    const programs: Running[] = [];
    const commands: Running[] = [];
    for (const [name, project] of Object.entries(projects)) {
      const folder = await makeProject(packed, project);
      const entry = join(folder, project.entry ?? project.source.name);
      for (const { version, program, path } of nodes) {
        programs.push(start(`${name}, Node ${version}`, program, [entry]));
        if (name !== 'npm + JavaScript') continue;
        const sigcast = join(folder, 'node_modules/.bin/sigcast');
        const listen = ['webhooks', 'listen', '--json', '--forward', `${receiver.url}/${version}`];
        commands.push(start(`sigcast, Node ${version}`, sigcast, listen, { PATH: path }));
      }
    }
    await allOf(programs, ({ out }) => expect(out()).toContain('{"connection":"open"}'));
    await allOf(commands, ({ err }) => expect(err()).toContain('Ctrl-C ends it'));
    for (const { out } of programs) expect(out()).toMatch(/^\{"symbol":"NOVA"\}\n/);

    const created = await createMany(2);
    await allOf(programs, ({ lines }) => expect(streamed(lines())).toHaveLength(2));
    await system.processes.gateway.kill('SIGKILL');
    created.push(...(await createMany(3)));
    await system.processes.gateway.start();
    created.push(...(await createMany(2)));

    await allOf(programs, ({ lines }) => expect(streamed(lines())).toHaveLength(created.length));
    const { body } = await system.api(`/v1/events?limit=100`);
    const feed = (body.data as { id: string; data: { id: string } }[]).slice(1);
    expect(feed.map(({ data }) => data.id).sort()).toEqual([...created].sort());
    const ids = feed.map(({ id }) => id);
    await allOf(programs, ({ name, lines, out }) => {
      expect([name, streamed(lines())]).toEqual([name, ids]);
      expect([name, distinct(lines<Line>().map(({ received }) => received)).sort()]).toEqual([
        name,
        [...ids].sort(),
      ]);
      expect(out()).toContain('{"connection":"lost"}');
    });
    await allOf(commands, ({ name, lines }) => {
      expect([name, lines<{ id: string; status: number }>()]).toEqual([
        name,
        ids.map((id) => expect.objectContaining({ id, status: 200 })),
      ]);
    });

    for (const { child } of programs) child.kill('SIGTERM');
    for (const { pressCtrlC } of commands) pressCtrlC();
    await allEnd(programs, 0);
    await allEnd(commands, 130);
  }, 240_000);
});

const streamed = (lines: readonly unknown[]) =>
  (lines as readonly Line[]).flatMap(({ streamed: id }) => (id === undefined ? [] : [id]));
