import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  distributionSchema,
  listedSignalSchema,
  outcomeSchema,
  realizableSchema,
  realizableStatisticsSchema,
  sampleOf,
  signalHistorySchema,
  statisticsSchema,
} from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { entryBundle } from '@sigcast/tlog';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { World } from './harness.ts';

let world: World;
let dir: string;
beforeAll(async () => {
  world = await World.start();
  dir = mkdtempSync(join(tmpdir(), 'sigcast-front-'));
  writeFileSync(join(dir, 'index.html'), '<title>Sigcast</title>');
  writeFileSync(join(dir, 'pages.json'), '["/home"]');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const statistics = {
  ...sampleOf(statisticsSchema, { total_signals: 1234, winners: 300, win_rate: 24.31 }),
  distribution: sampleOf(distributionSchema, {
    by_status: { active: 211, winner: 300, dead: 689, rugged: 34 },
    ath_roi: { median: 86.42 },
    ath_signals: 1234,
  }),
  realizable: sampleOf(realizableStatisticsSchema, { signals: 1187, avg_roi: -11.42 }),
};
const signal = sampleOf(listedSignalSchema, {
  token: { symbol: '<script>SYMBOL', name: 'ITS NAME', contract: 'ITS CONTRACT', chain: 'solana' },
  outcome: sampleOf(outcomeSchema),
  realizable: sampleOf(realizableSchema),
});
const history = sampleOf(signalHistorySchema, {
  entry: { at: '2026-01-02T00:00:00.000Z', mcap: 100_000 },
  ath: { at: '2026-01-02T01:25:00.000Z', mcap: 280_000 },
});
const checkpoint = `log.example\n2\n${Buffer.alloc(32, 7).toString('base64')}\n\n— log.example ${Buffer.alloc(68, 1).toString('base64')}\n`;
const entry = Buffer.from(JSON.stringify({ kind: 'signal', known_at: '2026-01-02T01:10:00.000Z' }));

/** What services answer, by the beginning of a path; the first that fits. */
let answers: readonly (readonly [path: string, data: unknown])[];
beforeEach(() => {
  answers = [
    ['/v1/stats?', statistics],
    ['/v1/stats/series?', { points: [{ from: '2026-01-01T00:00:00.000Z' }] }],
    ['/log/checkpoint', checkpoint],
    ['/log/tile/entries/', entryBundle([entry, entry])],
    ['/v1/signals?status=winner,dead,rugged&', [signal]],
    [`/v1/signals/${signal.id}/history`, history],
    [`/v1/signals/${signal.id}/proof`, { entries: [{ index: 4711 }] }],
  ];
  world.upstream.answer = answerer;
});
function answerer({ url = '' }: IncomingMessage, res: ServerResponse): void {
  const [, data] = answers.find(([path]) => url.startsWith(path)) ?? [];
  if (data === undefined) res.writeHead(404).end('{}');
  else if (data === 'away') res.writeHead(503).end('{}');
  else if (typeof data === 'string' || Buffer.isBuffer(data)) res.end(data);
  else res.end(JSON.stringify({ success: true, data }));
}
const answering = (path: string, data: unknown) => {
  answers = [[path, data], ...answers];
};
async function read(gateway: string) {
  const answer = await fetch(gateway, { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(200);
  return { headers: answer.headers, html: await answer.text() };
}
/** Waits for the page with all of its figures: on a busy machine some may come later than the page waits for them. */
const readWhole = (gateway: string) =>
  eventually(async () => {
    const page = await read(gateway);
    expect(page.headers.get('cache-control')).toBe('public, max-age=60');
    return page;
  });
const open = (clock?: () => number) =>
  world.gateway({ env: { DASHBOARD_DIR: dir }, ...(clock && { clock }) });

it('/ shows a stranger the record, the newest decided signal and the limits of a new account, and no text of a producer', async () => {
  const { html, headers } = await readWhole(await open());
  expect(headers.get('vary')).toContain('Accept');
  const shown = [
    '>1,234<',
    '>24.3%<',
    '>58.6%<',
    '689 dead, 34 rugged',
    '>+86.4%<',
    '>−11.4%<',
    'since Jan 2026',
  ];
  const ofSignal = [signal.id, '>New<', '>Winner<', '/log/proof/4711', 'peak +180.0%', '+92.0% after costs'];
  for (const text of [
    ...shown,
    ...ofSignal,
    '/log/checkpoint',
    '/log/proof/1',
    'log.example',
    '>10,000<',
    '/sign-up',
    '/docs',
  ]) {
    expect(html).toContain(text);
  }
  expect(html).not.toMatch(/npx|SYMBOL|ITS NAME|ITS CONTRACT|NaN|undefined|<script>|<style|\sstyle=/);
});

it('/ is made once a minute for all readers', async () => {
  let nowMs = Date.now();
  const gateway = await open(() => nowMs);
  const { requests } = world.upstream;
  const asked = async (work: () => Promise<unknown>) => {
    requests.length = 0;
    await work();
    return requests.length;
  };
  const first = await asked(() =>
    Promise.all([readWhole(gateway), readWhole(gateway), fetch(`${gateway}/record`)]),
  );
  expect(await asked(() => read(gateway))).toBe(0);
  nowMs += 60_000;
  expect(await asked(() => readWhole(gateway))).toBe(first);
});

it('/ answers while services are away, says what it can’t read, and shows an example in place of a signal', async () => {
  answering('/', 'away');
  const gateway = await open();
  const { html, headers } = await read(gateway);
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(html).toContain('Unavailable right now');
  expect(html).toContain('This one is a made-up example');
  expect(html).not.toContain('1,234');
  answers = answers.slice(1);
  expect((await readWhole(gateway)).html).toContain('>1,234<');
});

it('/ answers within two seconds while a service is silent', async () => {
  world.upstream.answer = (req, res) => {
    if (!req.url?.startsWith('/v1/stats')) answerer(req, res);
  };
  await eventually(async () => {
    const gateway = await open();
    const startedAt = performance.now();
    const { html } = await read(gateway);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(html).toContain(signal.id);
    expect(html).toContain('Unavailable right now');
  });
});

it('/ shows what it can while an older service answers without some figures', async () => {
  const { distribution: _without, ...older } = statistics;
  answering('/v1/stats?', older);
  answering('/v1/signals?', [{ ...signal, performance: undefined }]);
  answering('/log/', 'away');
  const gateway = await open();
  await eventually(async () => {
    const { html } = await read(gateway);
    for (const shown of ['>1,234<', '>24.3%<', '>−11.4%<', 'Unavailable', 'This one is a made-up example']) {
      expect(html).toContain(shown);
    }
  });
});

it('/ of a system without signals says so, and has no figure of none', async () => {
  const none = { ...statistics, total_signals: 0, winners: 0, win_rate: 0 };
  const distribution = sampleOf(distributionSchema, {
    by_status: { active: 0, winner: 0, dead: 0, rugged: 0 },
    ath_signals: 0,
  });
  const realizable = sampleOf(realizableStatisticsSchema, { signals: 0 });
  answering('/v1/stats?', { ...none, distribution, realizable });
  answering('/v1/stats/series?', { points: [] });
  answering('/log/', undefined);
  answering('/v1/signals?', []);
  const { html } = await readWhole(await open());
  expect(html).toContain('No signal has a closed order yet');
  expect(html.match(/None yet/g)).toHaveLength(5);
  expect(html).not.toMatch(/NaN|undefined|>0\.0%|newest checkpoint/);
});

it('the webhook’s request at / has the signature of the secret that it names', async () => {
  const { html } = await read(await open());
  const text = html.replaceAll(/<[^>]+>/g, '').replaceAll('&quot;', '"');
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  const key = Buffer.from(found(/the secret whsec_(\S+)\./), 'base64');
  const signed = `${found(/webhook-id: (\S+)/)}.${found(/webhook-timestamp: (\d+)/)}.${found(/(\{"event".+\})/)}`;
  expect(found(/webhook-signature: v1,(\S+)/)).toBe(
    createHmac('sha256', key).update(signed).digest('base64'),
  );
});
