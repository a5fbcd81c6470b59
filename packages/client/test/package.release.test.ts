import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packClient, pickFreePort } from '@sigcast/local';
import { clientNodeVersions, eventually, startReceiver } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventStream, success } from './answers.ts';
import {
  endProgram,
  frameworks,
  lend,
  receiveWith,
  sample,
  sampleNames,
  sampleSecret,
  samples,
  startProgram,
} from './readme-samples.ts';

const run = promisify(execFile);
const nodes = clientNodeVersions();
const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const tsc = inPackage('../../node_modules/.bin/tsc');

/** The folder of a project that has installed only the package. */
let project: string;
const children: ChildProcess[] = [];

/** Packs the package. @returns the file. */
const pack = () => packClient(mkdtempSync(join(project, 'packed-')));

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'sigcast-client-'));
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', await pack()], { cwd: project });
  for (const framework of frameworks) if (framework !== 'next') lend(project, framework);
}, 60_000);

afterAll(() => {
  for (const child of children) endProgram(child);
  rmSync(project, { recursive: true, force: true });
});

const names = 'Sigcast, SigcastError, verifyWebhook';
const use = `
  const sigcast = new Sigcast({ apiKey: 'sk_1', baseUrl: 'https://api.test', maxRetries: 0 });
  console.log(typeof sigcast.signals.list, typeof verifyWebhook, SigcastError.name);
`;

/** Compiles a program with the types of browsers only, and with the package's declarations. @returns the compiler's output. */
async function compile(name: string, options: readonly string[], text: string): Promise<string> {
  writeFileSync(join(project, name), text);
  const checks = ['--noEmit', '--strict', '--target', 'es2022', '--types', '', '--lib', 'es2022,dom'];
  const compiled = run(tsc, [...checks, ...options, name], { cwd: project });
  return compiled.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('the packed package', () => {
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

  it('says nothing of the workspace that it was made in', async () => {
    const { stdout } = await run('tar', ['-xOf', await pack(), 'package/package.json']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: '@sigcast/client',
      bin: { sigcast: expect.any(String) },
    });
    expect(stdout).not.toMatch(/workspace:|catalog:|devDependencies/);
  }, 60_000);

  it('installs with pnpm too, and runs there as a program and as the command', async () => {
    const dir = mkdtempSync(join(project, 'pnpm-'));
    const pnpm = process.env.npm_execpath ?? '';
    writeFileSync(join(dir, 'package.json'), '{"private":true}');
    await run(pnpm, ['add', '--offline', '--ignore-workspace', await pack()], { cwd: dir });
    writeFileSync(join(dir, 'program.mjs'), `import { ${names} } from '@sigcast/client';${use}`);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: dir });
    expect(stdout).toBe('function function SigcastError\n');
    const sigcast = join(dir, 'node_modules', '.bin', 'sigcast');
    expect((await run(sigcast, ['--help'])).stdout).toContain('Usage: sigcast <command>');
  }, 60_000);
});

describe('the samples of the README', () => {
  it('are all run here, except those of the command line, which run on a real system', () => {
    const onTheSystem = samples().filter((text) => text.startsWith('sigcast login'));
    expect(onTheSystem).toHaveLength(1);
    expect(sampleNames.map(sample).concat(onTheSystem).sort()).toEqual(samples().sort());
  });
});

describe.each(nodes)('in Node $version the packed package', (node) => {
  it.each([
    ['an ES module', 'program.mjs', `import { ${names} } from '@sigcast/client';`],
    ['CommonJS', 'program.cjs', `const { ${names} } = require('@sigcast/client');`],
  ])('runs in %s with nothing beside it', async (_, file, begin) => {
    writeFileSync(join(project, file), begin + use);
    const { stdout } = await run(node.program, [file], { cwd: project });
    expect(stdout).toBe('function function SigcastError\n');
  });

  it('brings the command sigcast, which runs with nothing beside it', async () => {
    const sigcast = join(project, 'node_modules', '.bin', 'sigcast');
    const { version } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8')) as { version: string };
    const env = { ...process.env, PATH: node.path };
    expect((await run(sigcast, ['--version'], { env })).stdout).toBe(`${version}\n`);

    await using api = await startReceiver();
    Object.assign(env, { SIGCAST_API_KEY: 'sk_1', SIGCAST_URL: api.url });
    api.script('/v1/signals?limit=1', success([{ id: 'sig_1' }], { total: 1 }));
    const { stdout } = await run(sigcast, ['signals', 'list', '--limit', '1', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ data: [{ id: 'sig_1' }] });
    await expect(run(sigcast, ['signals', 'lost'], { env })).rejects.toMatchObject({ code: 2 });
  });
});

describe.each(nodes)('in Node $version the samples of the README', (node) => {
  it('read statistics and winners', async () => {
    await using api = await startReceiver();
    const stats = { total_signals: 4, winners: 1, win_rate: 25 };
    api.script('/v1/stats?period=7d', success(stats));
    const winner = { token: { symbol: 'NOVA' }, performance: { roi: 140 } };
    api.script('/v1/signals?status=winner&limit=100', success([winner], { next_cursor: null }));
    const root = mkdtempSync(join(project, 'root-'));
    mkdirSync(join(root, '.local'));
    mkdirSync(join(root, 'packages'));
    symlinkSync(join(project, 'node_modules', '@sigcast', 'client'), join(root, 'packages', 'client'));
    writeFileSync(
      join(root, '.local', 'demo.json'),
      JSON.stringify({ api_key: 'sk_1', gateway_url: api.url }),
    );
    const lines = sample('winners').split('\n').slice(1).join('\n');
    const { stdout } = await run('bash', ['-ec', lines], {
      cwd: root,
      env: { ...process.env, PATH: node.path },
    });
    expect(stdout).toBe('1 of 4 won; 59 requests left\nNOVA 140 %\n');
  });

  it('run a backtest, and print its progress', async () => {
    await using api = await startReceiver();
    const backtest = { id: 'bt_1', status: 'running', progress: { done: 4, total: 9 }, result: null };
    const result = { trades: 7, profit_usd: -12.5 };
    api.script('/v1/backtests', success(backtest));
    api.script('/v1/backtests/bt_1', success({ ...backtest, status: 'completed', result }));
    writeFileSync(
      join(project, 'backtesting.mjs'),
      `import { Sigcast } from '@sigcast/client';
      const sigcast = new Sigcast({ apiKey: 'sk_1', baseUrl: '${api.url}' });
      ${sample('backtesting')}`,
    );
    const { stdout } = await run(node.program, ['backtesting.mjs'], { cwd: project });
    expect(stdout).toBe('running 4 of 9\ncompleted 4 of 9\n7 trades, -12.5 US dollars\n');
  });

  it('follow events until they are told to stop', async () => {
    await using api = await startReceiver();
    const event = JSON.stringify({ event: 'signal.winner', data: { id: 'sig_1' } });
    const open = eventStream((response) => response.write(`id: evt_1\ndata: ${event}\n\n`));
    api.script('/v1/stream?events=signal.winner', open);
    writeFileSync(
      join(project, 'following.mjs'),
      `import { Sigcast } from '@sigcast/client';
      const sigcast = new Sigcast({ apiKey: 'sk_1', baseUrl: '${api.url}' });
      const handle = async ({ data }) => console.log(data.id);
      const remember = async (id) => console.log(id);
      ${sample('following')}`,
    );
    const { child, said } = startProgram(project, node, { command: node.program, args: ['following.mjs'] });
    children.push(child);
    await eventually(() => expect(said()).toBe('sig_1\nevt_1\n'));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.each(frameworks)('receive webhooks in %s', async (framework) => {
    const said = await receiveWith(project, framework, node);
    expect(said).toBe('signal.new sig_1 evt_1\n200\n400\n');
  });

  it('receive webhooks on this machine, by the command line, with no subscription', async () => {
    await using api = await startReceiver();
    api.script('/v1/events?after=latest&limit=1', success([], { next_cursor: 'pos_1', has_more: false }));
    const event = JSON.stringify({ event: 'signal.new', data: { id: 'sig_7' } });
    api.script(
      '/v1/stream',
      eventStream((response) => response.write(`id: evt_7\ndata: ${event}\n\n`)),
    );
    const port = String(await pickFreePort());
    writeFileSync(join(project, 'receiver.mjs'), sample('receiver').replace('9000', port));
    const args = ['-c', sample('listening').replace('9000', port)];
    const env = { SIGCAST_API_KEY: 'sk_1', SIGCAST_URL: api.url };
    const { child, said } = startProgram(project, node, { command: 'bash', args, env });
    children.push(child);
    await eventually(() => expect(said()).toMatch(/^webhook\.test sig_0+ evt_\w+$/m), { timeoutMs: 30_000 });
    await eventually(() => expect(said()).toMatch(/^signal\.new sig_7 evt_7$/m));
    endProgram(child);
  }, 60_000);

  it('receive webhooks, and survive a request that is cut off', async () => {
    const port = await pickFreePort();
    const lines = sample('receiver');
    writeFileSync(
      join(project, 'receiver.mjs'),
      lines.replace('listen(9000)', `listen(${port}, '127.0.0.1')`),
    );
    const secret = sampleSecret;
    const env = { WEBHOOK_SECRET: secret };
    const started = startProgram(project, node, { command: node.program, args: ['receiver.mjs'], env });
    const { child: receiver, said } = started;
    children.push(receiver);
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
    await eventually(() => expect(said()).toBe('signal.new sig_1 evt_1\n'));
    expect(receiver.exitCode).toBeNull();
  });
});
