import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, spawnService, type TestStack, testStack } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultThresholds } from '../src/domain/rules/v1.ts';
import { replay } from '../src/recording/replay.ts';
import { pairOf, sendJson, startSources, type TestSources } from './sources.ts';

let stack: TestStack;
let sources: TestSources;
let dir: string;
beforeAll(async () => {
  stack = testStack();
  sources = await startSources();
  dir = mkdtempSync(join(tmpdir(), 'sigcast-record-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await sources[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const operator = (out: string) =>
  spawnService(
    new URL('../src/operator.ts', import.meta.url).pathname,
    {
      REDIS_URL: stack.redisUrl,
      REDIS_KEY_PREFIX: stack.redisKeyPrefix,
      SCANNER_DEXSCREENER_URL: sources.url,
      SCANNER_GECKOTERMINAL_URL: `${sources.url}/api/v2`,
      SCANNER_GECKOTERMINAL_KEY: 'x-cg-pro-api-key: a-secret-key',
      SCANNER_CHAINS: 'base',
      SCANNER_LISTS_MS: '200',
      SCANNER_DEXSCREENER_LISTS_PER_MINUTE: '60000',
      SCANNER_DEXSCREENER_PER_MINUTE: '60000',
      SCANNER_GECKOTERMINAL_PER_MINUTE: '60000',
    },
    ['record', '--minutes', '60', '--out', out],
  );

it('a recording is whole after Ctrl-C, has no key, follows a token that lists name no more, and can be replayed', async () => {
  sources.tokens.set('fine', { contract: 'fine', isPaid: true });
  sources.tokens.set('shallow', {
    contract: 'shallow',
    pairs: [pairOf({ contract: 'shallow' }, { liquidity: { usd: 5 } })],
  });
  const out = join(dir, 'market.ndjson');
  await using recorder = operator(out);
  const linesWith = (path: string) =>
    (existsSync(out) ? readFileSync(out, 'utf8') : '').split('\n').filter((line) => line.includes(path))
      .length;
  await eventually(() => expect(linesWith('/orders/v1/base/fine')).toBe(1), { timeoutMs: 30_000 });
  sources.fault = (res, path) => (path.startsWith('/token-') ? sendJson(res, 200, []) : undefined);
  const before = linesWith('/tokens/v1/base/fine,shallow');
  await eventually(() => expect(linesWith('/tokens/v1/base/fine,shallow')).toBeGreaterThan(before + 3));
  await recorder.kill('SIGINT');
  expect(await recorder.exited, recorder.output()).toBe(0);

  const text = readFileSync(out, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  expect(text).not.toContain('a-secret-key');
  expect(text).not.toContain(sources.url);
  const pace = { coolDownMs: 3_600_000, againAfterMs: 1_000 };
  const replayed = await replay({ file: out, thresholds: defaultThresholds, rule: 'v1', ...pace });
  expect(replayed).toMatchObject({
    bad_lines: [],
    answers: text.split('\n').length - 1,
    tokens: 2,
    unrecorded: 0,
  });
  expect(replayed.refusals.low_liquidity).toBe(1);
  expect(replayed.signals).toMatchObject([
    { type: 'new', token: { contract: 'fine', dex_paid: true }, metrics: { holders: 321 } },
  ]);
  expect(replayed.signals[0]?.outcome.observations).toBeGreaterThan(3);

  await using again = operator(out);
  expect(await again.exited).toBe(1);
  expect(readFileSync(out, 'utf8')).toBe(text);
}, 60_000);
