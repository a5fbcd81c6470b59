import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestSystem, testSystem } from './system.ts';

const run = promisify(execFile);
const bin = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
const installed = (name: string) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
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
  writeFileSync(join(dir, `${name}.ts`), environment + source + printed);
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

/** The beginning of each program. */
const environment = `
  declare const process: { env: Record<string, string> };
  declare const console: { log(text: string): void };
  const { BASE = '', KEY = '', SIGNAL = '' } = process.env;
`;

/** The end of each program: prints what its calls returned. */
const printed = `
  console.log(JSON.stringify({
    listed: page.data?.data.map((signal) => signal.id),
    total: page.data?.meta.total,
    twitter: one.data?.data.token.socials.twitter.toLowerCase(),
    telegram: one.data?.data.token.socials.telegram,
    winRate: stats.data?.data.win_rate,
    hours: (series.data?.data.points.length ?? 0) >= 168,
    webhook: { status: hook.data?.data.status, types: hook.data?.data.types.length },
    refused: [unknown.error?.error.code, wrong.error?.error.code, wrong.error?.error.message],
  }));
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
      client.setConfig({ baseUrl: BASE, auth: KEY });
      const page = await listSignals({ query: { type: 'new,7d', since: '2026-01-01', symbol: 'nova', limit: 5 }, throwOnError: true });
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
    `;
    expect(await runProgram('with-hey', program)).toEqual(expected());
  }, 120_000);

  it('by openapi-typescript and openapi-fetch compiles and works against the system', async () => {
    await run(bin('openapi-typescript'), ['openapi.json', '-o', 'paths.ts'], { cwd: dir });
    mkdirSync(join(dir, 'node_modules'), { recursive: true });
    symlinkSync(installed('openapi-fetch'), join(dir, 'node_modules/openapi-fetch'));
    const program = `
      import createClient from 'openapi-fetch';
      import type { paths } from './paths.js';
      const api = createClient<paths>({ baseUrl: BASE, headers: { Authorization: \`Bearer \${KEY}\` } });
      const page = await api.GET('/v1/signals', { params: { query: { type: 'new,7d', since: '2026-01-01', status: 'active' } } });
      const one = await api.GET('/v1/signals/{signal_id}', { params: { path: { signal_id: SIGNAL } } });
      const stats = await api.GET('/v1/stats', { params: { query: { type: 'new' } } });
      const series = await api.GET('/v1/stats/series', { params: { query: { period: '7d', interval: 'hour' } } });
      const hook = await api.POST('/v1/webhooks', { body: { url: 'https://example.com/hook', events: ['signal.new'] } });
      await api.DELETE('/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: hook.data?.data.id ?? '' } } });
      const unknown = await api.GET('/v1/signals/{signal_id}', {
        params: { path: { signal_id: 'sig_00000000000000000000000000' } },
      });
      const wrong = await api.GET('/v1/signals', { params: { query: { limit: 500 } } });
    `;
    expect(await runProgram('with-openapi-fetch', program)).toEqual(expected());
  }, 120_000);

  it('by orval compiles and works against the system', async () => {
    const output = { target: 'orval.ts', client: 'fetch', baseUrl: system.gatewayUrl };
    const settings = { api: { input: 'openapi.json', output } };
    writeFileSync(join(dir, 'orval.config.mjs'), `export default ${JSON.stringify(settings)};`);
    await run(bin('orval'), ['--config', 'orval.config.mjs'], { cwd: dir });
    const program = `
      import {
        createWebhook, deleteWebhook, getSignal, getStatistics, getStatisticsSeries, listSignals,
      } from './orval.js';
      const options = { headers: { Authorization: \`Bearer \${KEY}\` } };
      const refusal = (answer: { data: unknown }) => ({ error: answer.data as { error: { code: string; message: string } } });
      const page = await listSignals({ type: 'new,7d', since: '2026-01-01', status: 'active' }, options);
      const one = await getSignal(SIGNAL, undefined, options);
      const stats = await getStatistics({ type: 'new' }, options);
      const series = await getStatisticsSeries({ period: '7d', interval: 'hour' }, options);
      const hook = await createWebhook({ url: 'https://example.com/hook', events: ['signal.new'] }, options);
      if (page.status !== 200 || one.status !== 200 || stats.status !== 200) throw new Error(JSON.stringify([page, one, stats]));
      if (series.status !== 200 || hook.status !== 201) throw new Error(JSON.stringify([series, hook]));
      await deleteWebhook(hook.data.data.id, options);
      const unknown = refusal(await getSignal('sig_00000000000000000000000000', undefined, options));
      const wrong = refusal(await listSignals({ limit: 500 }, options));
    `;
    expect(await runProgram('with-orval', program)).toEqual(expected());
  }, 120_000);
});
