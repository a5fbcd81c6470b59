import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';

const run = promisify(execFile);
const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const tsc = inPackage('../../node_modules/.bin/tsc');

/** A project that has installed the package, and nothing else. */
let project: string;
const children: ChildProcess[] = [];

/** Packs the package by a package manager's program. @returns the file. */
async function pack(program: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'sigcast-packed-'));
  await run(program, ['pack', '--pack-destination', dir], { cwd: inPackage('.') });
  const [file = ''] = readdirSync(dir);
  return join(dir, file);
}

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'sigcast-client-'));
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', await pack('npm')], { cwd: project });
}, 60_000);

afterAll(() => {
  for (const child of children) child.kill();
  rmSync(project, { recursive: true, force: true });
});

const names = 'Sigcast, SigcastError, verifyWebhook';
const use = `
  const sigcast = new Sigcast({ apiKey: 'sk_1', baseUrl: 'https://api.test', maxRetries: 0 });
  console.log(typeof sigcast.signals.list, typeof verifyWebhook, SigcastError.name);
`;

/** What the compiler says of a program that has the browser's types alone, the package's declarations included. */
async function compile(name: string, options: readonly string[], text: string): Promise<string> {
  writeFileSync(join(project, name), text);
  const checks = ['--noEmit', '--strict', '--target', 'es2022', '--types', '', '--lib', 'es2022,dom'];
  const compiled = run(tsc, [...checks, ...options, name], { cwd: project });
  return compiled.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('the packed package, installed in an empty project', () => {
  it.each([
    ['an ES module', 'program.mjs', `import { ${names} } from '@sigcast/client';`],
    ['CommonJS', 'program.cjs', `const { ${names} } = require('@sigcast/client');`],
  ])('runs in %s with nothing beside it', async (_, file, begin) => {
    writeFileSync(join(project, file), begin + use);
    const { stdout } = await run(process.execPath, [file], { cwd: project });
    expect(stdout).toBe('function function SigcastError\n');
  });

  it.each([
    ['nodenext, an ES module', 'right.mts', ['--module', 'nodenext']],
    ['nodenext, CommonJS', 'right.cts', ['--module', 'nodenext']],
    ['a bundler', 'right.ts', ['--module', 'preserve', '--moduleResolution', 'bundler']],
  ])(
    'brings its types for %s',
    async (_, file, options) => {
      const begin = `import { ${names} } from '@sigcast/client';
      export const sigcast = new Sigcast({ apiKey: 'sk_1', baseUrl: 'https://api.test' });
      export { SigcastError, verifyWebhook };`;
      const right = `export const title = sigcast.signals.get('sig_1').then(({ data }) => data.token.symbol.length);`;
      expect(await compile(file, options, begin + right)).toBe('');
      const wrong = `export const list = sigcast.signals.list({ status: 'lost' });`;
      expect(await compile(`wrong-${file}`, options, begin + wrong)).toContain(`'"lost"' is not assignable`);
    },
    60_000,
  );

  it('has the same files whether npm or pnpm packs it', async () => {
    const listed = async (program: string) => {
      const { stdout } = await run('tar', ['-tzf', await pack(program)]);
      return stdout.split('\n').sort();
    };
    const pnpm = process.env.npm_execpath ?? '';
    expect(pnpm).toMatch(/pnpm/);
    expect(await listed(pnpm)).toEqual(await listed('npm'));
  }, 60_000);

  it('receives webhooks with the lines of its README, and survives an upload that is cut off', async () => {
    const readme = readFileSync(inPackage('README.md'), 'utf8');
    const lines = /^## Receiving webhooks[\s\S]*?^```js\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';
    const port = await freePort();
    writeFileSync(
      join(project, 'receiver.mjs'),
      lines.replace('listen(9000)', `listen(${port}, '127.0.0.1')`),
    );
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    const receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: project, env });
    children.push(receiver);
    let said = '';
    receiver.stdout.on('data', (data: Buffer) => (said += data.toString()));
    await eventually(() => fetch(`http://127.0.0.1:${port}/`));

    const cut = connect(port, '127.0.0.1');
    cut.write('POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\nhalf');
    cut.end();
    const [answer] = (await once(cut, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 400 /);
    const broken = connect(port, '127.0.0.1');
    broken.write('POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\nhalf', () =>
      broken.resetAndDestroy(),
    );
    await once(broken, 'close');

    const body = JSON.stringify({ event: 'signal.new', data: { id: 'sig_1' } });
    const now = new Date();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
    };
    const send = (text: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: text, headers });
    expect((await send(body)).status).toBe(200);
    expect((await send(`${body} `)).status).toBe(400);
    await eventually(() => expect(said).toBe('signal.new sig_1\n'));
    expect(receiver.exitCode).toBeNull();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
