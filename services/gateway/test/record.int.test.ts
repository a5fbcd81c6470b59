import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventually } from '@sigcast/testing';
import { entryBundle } from '@sigcast/tlog';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from './harness.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => world[Symbol.asyncDispose]());

const percentiles = { p10: -62.5, p25: -20, median: 12.5, p75: 140, p90: 1480 };
const distribution = {
  by_status: { active: 900, winner: 300, dead: 30, rugged: 4 },
  roi: percentiles,
  ath_roi: percentiles,
  avg_time_to_ath_hours: 9.25,
  ath_signals: 1234,
};
const orders = {
  signals: 40,
  avg_roi: -11.42,
  profitable: 32.5,
  roi: percentiles,
  by_exit: { target: 10, stop: 10, end: 10, open: 10 },
};
const statistics = {
  ...{ total_signals: 1234, winners: 300, win_rate: 24.31, avg_roi: 18.4, best_roi: 480 },
  by_type: { new: { total: 1234, winners: 300, win_rate: 24.31 } },
  as_of: '2026-01-02T01:30:00.000Z',
  distribution: { ...distribution, by_type: { new: distribution } },
  realizable: { rule: 'v1', ...orders, by_type: { new: orders } },
};
const { total_signals, winners, win_rate, avg_roi, best_roi } = statistics;
const month = {
  ...{ from: '2026-01-01T00:00:00.000Z', total_signals, winners, win_rate, avg_roi, best_roi },
  realizable: { signals: 40, avg_roi: -11.42 },
};
const root = Buffer.alloc(32, 7).toString('base64');
const entry = (kind: string, minutes: number) =>
  Buffer.from(JSON.stringify({ kind, known_at: `2026-01-02T01:${minutes}:00.000Z`, token: '<script>|' }));
/** What services answer, by path. */
const answers: Readonly<Record<string, string | Buffer>> = {
  '/v1/stats?include=distribution,realizable': JSON.stringify({ success: true, data: statistics }),
  '/v1/stats/series?period=all&interval=month&include=realizable': JSON.stringify({
    success: true,
    data: { period: 'all', interval: 'month', points: [month], as_of: statistics.as_of },
  }),
  '/log/checkpoint': `log.example\n258\n${root}\n\n— log.example ${Buffer.alloc(68, 1).toString('base64')}\n`,
  '/log/tile/entries/001.p/2': entryBundle([entry('signal', 10), entry('outcome', 11)]),
};

function answering(without: (path: string) => boolean = () => false) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    const answer = answers[req.url ?? ''];
    if (!req.url?.startsWith('/v1/stats') && !req.url?.startsWith('/log/')) okAnswer(req, res);
    else if (without(req.url)) res.writeHead(503).end('{}');
    else if (answer === undefined) res.writeHead(404).end('{}');
    else res.writeHead(200).end(answer);
  };
}
const asked = (path: string) => world.upstream.requests.filter(({ url }) => url.startsWith(path)).length;

it('the record of all signals is public: the answers of the API and the log, as JSON, a page and a picture for any site', async () => {
  world.upstream.answer = answering();
  const gateway = await world.gateway();
  const json = await fetch(`${gateway}/record.json`);
  expect(json.headers.get('access-control-allow-origin')).toBe('*');
  const newest = [
    { index: 257, kind: 'outcome', known_at: '2026-01-02T01:11:00.000Z' },
    { index: 256, kind: 'signal', known_at: '2026-01-02T01:10:00.000Z' },
  ];
  const log = { origin: 'log.example', entries: 258, root, newest };
  expect(await json.json()).toEqual({ success: true, data: { statistics, months: [month], log } });

  const page = await (await fetch(`${gateway}/record`)).text();
  for (const shown of [
    '1,234',
    '24.3%',
    '−11.4%',
    'Jan 2026',
    '25th percentile',
    '3 days',
    '+12.5%',
    root,
    '/log/proof/257',
    '<b>24.3%</b> <span>300 of 1,234</span>',
    'Not included',
  ]) {
    expect(page).toContain(shown);
  }
  expect(page).not.toMatch(/<script>\||npx/);
  const image = await fetch(`${gateway}/record.svg`);
  expect(image.headers.get('content-type')).toBe('image/svg+xml');
  expect(image.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(await image.text()).toContain('>1,234</text>');
});

it('the record is made once a minute for all readers, and stays as it was while a service is away', async () => {
  let nowMs = Date.now();
  const gateway = await world.gateway({ clock: () => nowMs });
  const read = async () => {
    const answer = await fetch(`${gateway}/record.json`);
    return { status: answer.status, body: await answer.json() };
  };
  const before = asked('/v1/stats?');
  world.upstream.answer = answering((path) => path === '/log/checkpoint');
  expect(await read()).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  world.upstream.answer = answering();
  const made = await Promise.all([read(), read(), read()]);
  expect(made.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(asked('/v1/stats?')).toBe(before + 1);
  nowMs += 60_000;
  world.upstream.answer = answering((path) => path.startsWith('/v1/stats?'));
  expect(await read()).toEqual(made[0]);
  world.upstream.answer = answering((path) => path.startsWith('/log/'));
  nowMs += 60_000;
  expect(await read()).toEqual(made[0]);
});

it('no cache keeps that the log has nothing at a path, where there may be a tile in a second', async () => {
  world.upstream.answer = answering();
  const gateway = await world.gateway();
  const { status, headers } = await fetch(`${gateway}/log/tile/0/001`);
  expect({ status, cached: headers.get('cache-control') }).toEqual({ status: 404, cached: 'no-store' });
});

it.each(['silent', 'away'])(
  'the record shows what it can while the log is %s and an older service answers without some figures',
  async (log) => {
    const { distribution: _without, realizable: _old, ...older } = statistics;
    const answered = answering((path) => path.startsWith('/log/'));
    world.upstream.answer = (req, res) => {
      if (log === 'silent' && req.url?.startsWith('/log/')) return;
      if (req.url?.startsWith('/v1/stats?')) res.end(JSON.stringify({ success: true, data: older }));
      else answered(req, res);
    };
    const gateway = await world.gateway();
    // On a busy machine a service may answer later than the page waits for it.
    await eventually(async () => {
      const page = await fetch(`${gateway}/record`);
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      const text = await page.text();
      for (const shown of ['1,234 in all, 300 won', 'Jan 2026', '300 of 1,234', 'Unavailable right now.']) {
        expect(text).toContain(shown);
      }
    });
    expect(await (await fetch(`${gateway}/record.svg`)).text()).toContain('>1,234</text>');
    expect((await fetch(`${gateway}/record.json`)).status).toBe(503);
  },
);

it('a record of a system without a log and without signals claims neither', async () => {
  const none = { p10: 0, p25: 0, median: 0, p75: 0, p90: 0 };
  const nothing = {
    ...{ by_status: { active: 0, winner: 0, dead: 0, rugged: 0 }, roi: none, ath_roi: none },
    ...{ avg_time_to_ath_hours: 0, ath_signals: 0 },
  };
  const noOrders = { signals: 0, avg_roi: 0, profitable: 0, roi: none, by_exit: {} };
  const empty = {
    ...{ total_signals: 0, winners: 0, win_rate: 0, avg_roi: 0, best_roi: 0, by_type: {} },
    as_of: statistics.as_of,
    distribution: { ...nothing, by_type: {} },
    realizable: { rule: 'v1', ...noOrders, by_type: {} },
  };
  world.upstream.answer = (req, res) => {
    if (req.url?.startsWith('/log/')) res.writeHead(404).end('{}');
    else if (req.url?.startsWith('/v1/stats?')) res.end(JSON.stringify({ success: true, data: empty }));
    else if (req.url?.startsWith('/v1/stats/series'))
      res.end(JSON.stringify({ success: true, data: { points: [] } }));
    else okAnswer(req, res);
  };
  const gateway = await world.gateway();
  expect(await (await fetch(`${gateway}/record.json`)).json()).toMatchObject({
    data: { log: null, months: [] },
  });
  const page = await (await fetch(`${gateway}/record`)).text();
  expect(page).toContain('keeps no public log');
  expect(page).toContain('0 in all, 0 won (–)');
  expect(page).toContain('No order is closed yet');
  expect(page).not.toContain('of these orders');
  expect(page).not.toContain('entry of the log');
  expect(page).not.toContain('contradict the log');
});
