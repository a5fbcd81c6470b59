import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestSystem, testSystem } from './system.ts';

const run = promisify(execFile);
const bin = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
const tsc = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));

let system: TestSystem;
let signalId: string;
let dir: string;

beforeAll(async () => {
  system = await testSystem();
  signalId = await system.createSignal();
  dir = mkdtempSync(join(tmpdir(), 'sigcast-generated-'));
  const document = await fetch(`${system.gatewayUrl}/openapi.json`);
  writeFileSync(join(dir, 'openapi.json'), await document.text());
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
}, 240_000);
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await system[Symbol.asyncDispose]();
});

/** Compiles a program together with the generated client, in strict mode, and runs it. @returns the JSON that it prints. */
async function runProgram(name: string, source: string): Promise<unknown> {
  writeFileSync(join(dir, `${name}.ts`), source);
  const target = ['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--types', ''];
  const output = ['--module', 'nodenext', '--strict', '--outDir', 'built', '--rootDir', '.'];
  await run(tsc, [...target, ...output, `${name}.ts`], { cwd: dir }).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    },
  );
  const env = { ...process.env, BASE: system.gatewayUrl, KEY: system.apiKey, SIGNAL: signalId };
  const { stdout } = await run(process.execPath, [join('built', `${name}.js`)], { cwd: dir, env });
  return JSON.parse(stdout);
}

const environment = `
  declare const process: { env: Record<string, string> };
  declare const console: { log(text: string): void };
  const { BASE = '', KEY = '', SIGNAL = '' } = process.env;
`;

/** What each program must print. */
const expected = () => ({
  listed: [signalId],
  total: 1,
  twitter: 'https://x.com/nova',
  telegram: '',
  winRate: 0,
  hours: true,
  webhook: { status: 'enabled', types: 6 },
  refused: ['NOT_FOUND', 'INVALID_REQUEST', 'limit must be a whole number from 1 to 100'],
});

describe('a client generated from /openapi.json', () => {
  it('by Hey API compiles and works against the system', async () => {
    const settings = { input: './openapi.json', output: { path: 'hey', module: { extension: '.js' } } };
    writeFileSync(join(dir, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(settings)};`);
    await run(bin('openapi-ts'), ['--silent', '--no-log-file'], { cwd: dir });
    const program = `
      import {
        createWebhook, deleteWebhook, getSignal, getStatistics, getStatisticsSeries, listSignals,
      } from './hey/index.js';
      import { client } from './hey/client.gen.js';
      ${environment}
      client.setConfig({ baseUrl: BASE, auth: KEY });
      const page = await listSignals({ query: { type: ['new', '7d'], symbol: 'nova', limit: 5 }, throwOnError: true });
      const one = await getSignal({ path: { signal_id: SIGNAL }, throwOnError: true });
      const stats = await getStatistics({ query: { period: '24h' }, throwOnError: true });
      const series = await getStatisticsSeries({ query: { period: '7d', interval: 'hour' }, throwOnError: true });
      const hook = await createWebhook({
        body: { url: 'https://example.com/hook', events: ['signal.new'] },
        throwOnError: true,
      });
      await deleteWebhook({ path: { webhook_id: hook.data.data.id }, throwOnError: true });
      const unknown = await getSignal({ path: { signal_id: 'sig_00000000000000000000000000' } });
      const wrong = await listSignals({ query: { limit: 500 } });
      console.log(JSON.stringify({
        listed: page.data.data.map((signal) => signal.id),
        total: page.data.meta.total,
        twitter: one.data.data.token.socials.twitter.toLowerCase(),
        telegram: one.data.data.token.socials.telegram,
        winRate: stats.data.data.win_rate,
        hours: series.data.data.points.length >= 168,
        webhook: { status: hook.data.data.status, types: hook.data.data.types.length },
        refused: [unknown.error?.error.code, wrong.error?.error.code, wrong.error?.error.message],
      }));
    `;
    expect(await runProgram('with-hey', program)).toEqual(expected());
  }, 120_000);

  it('by swagger-typescript-api compiles and works against the system', async () => {
    const options = ['--path', 'openapi.json', '--output', '.', '--name', 'sta.ts', '--generate-union-enums'];
    await run(bin('swagger-typescript-api'), ['generate', ...options], { cwd: dir });
    const program = `
      import { Api, type ApiError } from './sta.js';
      ${environment}
      const api = new Api<string>({
        baseUrl: BASE,
        securityWorker: (key) => ({ headers: { Authorization: \`Bearer \${key}\` } }),
      });
      api.setSecurityData(KEY);
      const asError = (answer: { error: { error: ApiError } | object }) => (answer.error as { error: ApiError }).error;
      const page = await api.v1.listSignals({ status: ['active'], contract: '0x0000000000000000000000000000000000000001' });
      const one = await api.v1.getSignal(SIGNAL);
      const stats = await api.v1.getStatistics({ type: 'new' });
      const series = await api.v1.getStatisticsSeries({ period: '7d', interval: 'hour' });
      const hook = await api.v1.createWebhook({ url: 'https://example.com/hook', events: ['signal.new'] });
      await api.v1.deleteWebhook(hook.data.data.id);
      const unknown = await api.v1.getSignal('sig_00000000000000000000000000').catch(asError);
      const wrong = await api.v1.listSignals({ limit: 500 }).catch(asError);
      console.log(JSON.stringify({
        listed: page.data.data.map((signal) => signal.id),
        total: page.data.meta.total,
        twitter: one.data.data.token.socials.twitter.toLowerCase(),
        telegram: one.data.data.token.socials.telegram,
        winRate: stats.data.data.win_rate,
        hours: series.data.data.points.length >= 168,
        webhook: { status: hook.data.data.status, types: hook.data.data.types.length },
        refused: [
          'code' in unknown ? unknown.code : 'none',
          ...('code' in wrong ? [wrong.code, wrong.message] : ['none']),
        ],
      }));
    `;
    expect(await runProgram('with-sta', program)).toEqual(expected());
  }, 120_000);
});
