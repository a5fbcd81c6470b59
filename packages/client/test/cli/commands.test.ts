import { readFileSync } from 'node:fs';
import { type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exits } from '../../src/cli/exits.ts';
import { failure, success } from '../answers.ts';
import { finish } from './terminal.ts';

let api: Receiver;
let env: Record<string, string>;

beforeAll(async () => {
  api = await startReceiver();
  env = { SIGCAST_API_KEY: 'sk_test', SIGCAST_URL: `${api.url}/` };
});

afterAll(() => api?.[Symbol.asyncDispose]());

const signal = (id: string, symbol = 'NOVA') => ({
  id,
  type: 'new',
  is_premium: false,
  created_at: '2026-01-01T12:00:00.000Z',
  token: { symbol, name: 'Nova', contract: '0x1', age_hours: 1 },
  metrics: { mcap_entry: 100_000, mcap_current: 240_000, volume_24h: 1, holders: 2, liquidity: 3 },
  performance: { roi: 140, ath_roi: 180.5, status: 'winner' },
});
const meta = { total: 1, page: 1, per_page: 20, total_pages: 1 };

describe('sigcast, asked for help', () => {
  it('shows every command, and every exit status, with what it means', async () => {
    for (const line of ['--help', 'help', '']) {
      const { exit, out } = await finish(line);
      expect(exit).toBe(0);
      for (const name of ['signals list', 'webhooks listen', 'deliveries retry', 'login']) {
        expect(out).toContain(name);
      }
      for (const status of Object.values(exits)) expect(out).toMatch(new RegExp(`^ +${status} +\\w`, 'm'));
    }
  });

  it.each([
    'signals list',
    'signals get',
    'stats',
    'backtest',
    'backtest list',
    'backtest show',
    'backtest delete',
    'events tail',
    'webhooks list',
    'webhooks listen',
    'webhooks trigger',
    'deliveries list',
    'deliveries get',
    'deliveries retry',
    'verify',
    'login',
    'logout',
  ])('shows how to use "%s", without a key', async (name) => {
    const { exit, out } = await finish(`${name} --help`);
    expect({ exit, usage: out.includes(`Usage: sigcast ${name}`) }).toEqual({ exit: 0, usage: true });
  });

  it('shows the commands about one thing', async () => {
    const { exit, out } = await finish('webhooks --help');
    expect(exit).toBe(0);
    expect(out).toContain('webhooks trigger <webhook id>');
    expect(out).not.toContain('signals list');
  });

  it('names its version', async () => {
    const file = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect((await finish('--version')).out).toBe(version);
  });
});

describe('sigcast, typed wrongly', () => {
  it.each([
    ['signal list', 'There is no command "signal list"'],
    ['webhooks', 'There is no command "webhooks"'],
    ['signals list --colour', 'There is no option --colour here'],
    ['signals list --limit', '--limit needs a value: --limit <n>'],
    ['signals list --status --json', '--status needs a value'],
    ['signals list --json=yes', '--json takes no value'],
    ['signals list --type new --type 3d', '--type was given twice'],
    ['signals list --limit ten', '--limit must be a whole number from 1, not "ten"'],
    ['signals list now', '"now" is one argument too many'],
    ['signals get', '<signal id> is missing'],
    ['signals list --url ftp://here', '--url must be an http or https address'],
    ['deliveries get evt_1', 'A delivery’s id has the form evt_….wh_…, not "evt_1"'],
    ['webhooks listen', '--forward is missing'],
    ['webhooks listen --forward 3000', '--forward must be an http or https address'],
    ['webhooks listen --forward http://here --secret whsec_', 'There is no option --secret here'],
    ['signals get ..', '<signal id> must be an id, not ".."'],
    ['webhooks trigger .', '<webhook id> must be an id, not "."'],
    ['events tail --after ✓', '--after must be the id of an event'],
  ])('says of "sigcast %s" what is wrong, and exits with 2', async (line, message) => {
    const { exit, out, err } = await finish(line, { env });
    expect(err).toContain(message);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
  });
});

it('says that an empty argument is no id, and exits with 2', async () => {
  const { exit, err } = await finish(['signals', 'get', ''], { env });
  expect({ exit, err }).toEqual({
    exit: 2,
    err: expect.stringContaining('<signal id> must be an id, not ""'),
  });
});

describe('the commands', () => {
  it('list signals as a table, and say how to see more', async () => {
    const more = { ...meta, total: 2_000, next_cursor: 'abc' };
    api.script('/v1/signals?status=winner&limit=1', success([signal('sig_1')], more));
    const { exit, out, err } = await finish('signals list --status winner --limit 1', { env });
    expect(exit).toBe(0);
    expect(out.split('\n')).toEqual([
      'CREATED               SYMBOL  TYPE  STATUS    ROI  BEST ROI  MARKET CAP  ID',
      '2026-01-01T12:00:00Z  NOVA    new   winner  140 %   180.5 %    $240,000  sig_1',
    ]);
    expect(err).toBe('1 of 2,000\nMore: --cursor abc, or --all');
  });

  it('list signals as the API gave them, with --json', async () => {
    api.script('/v1/signals', success([signal('sig_1')], meta));
    const { out, err } = await finish('signals list --json', { env });
    expect(JSON.parse(out)).toEqual({ data: [signal('sig_1')], meta });
    expect(err).toBe('');
  });

  it('list every page, one signal a line, following cursors', async () => {
    api.script('/v1/signals?limit=100', success([signal('sig_1')], { ...meta, next_cursor: 'x' }));
    api.script('/v1/signals?limit=100&cursor=x', success([signal('sig_2')], { ...meta, next_cursor: null }));
    const { out } = await finish('signals list --all --json', { env });
    const ids = out.split('\n').map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(['sig_1', 'sig_2']);
  });

  it('print no control characters of a token’s name', async () => {
    api.script('/v1/signals?limit=2', success([signal('sig_1', '\u001b[2JX\u202e')], meta));
    const { out } = await finish('signals list --limit 2', { env });
    expect(out).toContain('�[2JX�');
  });

  it('show one signal with all its fields', async () => {
    api.script('/v1/signals/sig_1', success(signal('sig_1')), success(signal('sig_1')));
    const { out } = await finish('signals get sig_1', { env });
    expect(out).toMatch(/^token\.symbol +NOVA$/m);
    expect(JSON.parse((await finish('signals get sig_1 --json', { env })).out)).toEqual(signal('sig_1'));
  });

  it('show what --include adds: a column beside the best return, and fields of one signal', async () => {
    const realizable = { rule: 'v1', roi: -3.9, entered_at: '2026-01-01T12:01:00.000Z' };
    const open = { ...signal('sig_1'), realizable: { ...realizable, exited_at: null, exit: null } };
    const none = { ...signal('sig_2'), realizable: null };
    const query = 'include=outcome%2Crealizable';
    api.script(`/v1/signals?${query}`, success([open, none], meta));
    const { out } = await finish('signals list --include outcome,realizable', { env });
    const [title, ...lines] = out.split('\n');
    expect(title).toMatch(/ BEST ROI {2}REALIZABLE {2}MARKET CAP /);
    expect(lines).toEqual([
      expect.stringMatching(/ 180\.5 % +-3\.9 % +\$240,000 /),
      expect.stringMatching(/ 180\.5 % +– +\$240,000 /),
    ]);
    api.script('/v1/signals/sig_1?include=realizable', success(open));
    const one = await finish('signals get sig_1 --include realizable', { env });
    expect(one.out).toMatch(/^realizable\.roi +-3\.9$/m);
    expect(one.out).toMatch(/^realizable\.exit +–$/m);
  });

  it('show statistics by type, and by the hour', async () => {
    const figures = { win_rate: 25, avg_roi: 12.5, best_roi: 300, as_of: '2026-01-01T12:00:00.000Z' };
    const by_type = { new: { total: 4, winners: 1, win_rate: 25 } };
    api.script('/v1/stats?period=7d', success({ total_signals: 4, winners: 1, ...figures, by_type }));
    const { out } = await finish('stats --period 7d', { env });
    expect(out).toMatch(/^new +4 +1 +25 %$/m);
    expect(out).toMatch(/^all +4 +1 +25 %$/m);
    expect(out).toContain('Mean ROI 12.5 %, best ROI 300 %');

    const point = { from: '2026-01-01T11:00:00.000Z', total_signals: 4, winners: 1, ...figures };
    const series = { period: '24h', interval: 'hour', points: [point], as_of: figures.as_of };
    api.script('/v1/stats/series?period=24h&interval=hour', success(series));
    const byHour = await finish('stats --period 24h --by hour', { env });
    expect(byHour.out).toMatch(/^2026-01-01T11:00:00Z +4 +1 +25 % +12\.5 % +300 %$/m);
  });

  it('show the figures that --include adds to statistics, by type and by day', async () => {
    const percentiles = { p10: 0, p25: 0, median: 5.5, p75: 0, p90: 0 };
    const realizable = { signals: 3, avg_roi: -3.9, profitable: 33.33 };
    const distribution = { roi: percentiles, ath_roi: { ...percentiles, median: 40 } };
    const by_type = { new: { total: 4, winners: 1, win_rate: 25 } };
    const all = { total_signals: 4, winners: 1, win_rate: 25, avg_roi: 1, best_roi: 2, by_type };
    api.script(
      '/v1/stats?include=distribution%2Crealizable',
      success({
        ...all,
        as_of: '2026-01-01T12:00:00.000Z',
        distribution: { ...distribution, by_type: { new: distribution } },
        realizable: { ...realizable, by_type: { new: realizable } },
      }),
    );
    const { out } = await finish('stats --include distribution,realizable', { env });
    const [title, first, total] = out.split('\n');
    expect(title).toMatch(/ WIN RATE +MEDIAN ROI +MEDIAN BEST +POSITIONS +REALIZABLE +PROFITABLE$/);
    expect(first).toMatch(/^new .* 25 % +5\.5 % +40 % +3 +-3\.9 % +33\.33 %$/);
    expect(total).toMatch(/^all .* 25 % +5\.5 % +40 % +3 +-3\.9 % +33\.33 %$/);

    const point = { ...all, from: '2026-01-01T00:00:00.000Z', realizable: { signals: 3, avg_roi: -3.9 } };
    const series = { period: '7d', interval: 'day', points: [point] };
    api.script('/v1/stats/series?period=7d&include=realizable&interval=day', success(series));
    const byDay = await finish('stats --period 7d --by day --include realizable', { env });
    expect(byDay.out).toMatch(/ REALIZABLE\n2026-01-01T00:00:00Z .* -3\.9 %$/);
  });

  it('retry a delivery, wait for the attempt, and show its outcome', async () => {
    const path = '/v1/webhooks/wh_1/deliveries/evt_1.wh_1';
    const delivery = { id: 'evt_1.wh_1', status: 'pending', attempts: [] };
    const attempt = {
      number: 1,
      outcome: 'bad_status',
      duration_ms: 3,
      http_status: 500,
      error: 'Answered 500',
    };
    api.script(`${path}/retry`, success(delivery));
    api.script(path, success({ ...delivery, status: 'failed', attempts: [attempt] }));
    const { exit, out } = await finish('deliveries retry evt_1.wh_1', { env });
    expect({ exit, out }).toEqual({ exit: 1, out: 'Failed evt_1.wh_1: Answered 500' });
  });

  it('trigger a test event, and show its outcome', async () => {
    const attempts = [{ number: 1, outcome: 'succeeded', duration_ms: 3.2, http_status: 200, error: null }];
    api.script('/v1/webhooks/wh_2/test', success({ id: 'evt_2.wh_2', status: 'delivered', attempts }));
    const { exit, out } = await finish('webhooks trigger wh_2', { env });
    expect({ exit, out }).toEqual({ exit: 0, out: 'Delivered evt_2.wh_2 in 3 ms' });
  });

  it('list deliveries and webhooks', async () => {
    const times = { created_at: '2026-01-01T12:00:00.000Z', next_attempt_at: null };
    const delivery = { id: 'evt_1.wh_1', event: 'signal.new', status: 'failed', attempt_count: 4, ...times };
    api.script('/v1/webhooks/wh_1/deliveries?status=failed', success([delivery], meta));
    const { out } = await finish('deliveries list wh_1 --status failed', { env });
    expect(out).toMatch(/^2026-01-01T12:00:00Z +signal\.new +failed +4 +– +evt_1\.wh_1$/m);

    const hook = { id: 'wh_1', status: 'disabled', disabled_reason: 'paused', events: ['signal.new'] };
    api.script('/v1/webhooks?limit=100', success([{ ...hook, url: 'https://a.test/', ...times }], meta));
    const webhooks = await finish('webhooks list', { env });
    expect(webhooks.out).toMatch(/^\S+ +wh_1 +paused +signal\.new +https:\/\/a\.test\/$/m);
  });
});

describe('a refusal of the API', () => {
  it('is shown by the names of options, and the exit status is 2', async () => {
    const details = [{ field: 'status', message: 'must be one of active, winner, dead, rugged' }];
    const error = { code: 'INVALID_REQUEST', message: 'The request is not valid', details };
    api.script('/v1/signals?status=lost', (response) =>
      response.writeHead(400, { 'x-request-id': 'req_1' }).end(JSON.stringify({ success: false, error })),
    );
    const { exit, err } = await finish('signals list --status lost', { env });
    expect(exit).toBe(2);
    expect(err.split('\n')).toEqual([
      'sigcast: The API refused the values that were given (INVALID_REQUEST)',
      '  --status must be one of active, winner, dead, rugged',
      '  Request req_1',
      'See: sigcast signals list --help',
    ]);
  });

  it.each([
    ['a key that is not valid', failure(401, 'UNAUTHORIZED'), 3, 'sigcast login'],
    ['an expired key', failure(401, 'KEY_EXPIRED'), 3, 'KEY_EXPIRED'],
    ['an unknown signal', failure(404, 'NOT_FOUND'), 1, 'NOT_FOUND'],
    [
      'a used up limit of the day',
      failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 3_600 }),
      1,
      'in 3600 s',
    ],
  ])('for %s has its own exit status', async (name, step, status, text) => {
    const id = `sig_${name.length}`;
    api.script(`/v1/signals/${id}`, step);
    const { exit, err } = await finish(`signals get ${id}`, { env });
    expect({ exit, err }).toEqual({ exit: status, err: expect.stringContaining(text) });
  });

  it('is told apart from an answer that is not the API’s', async () => {
    api.script('/v1/stats', (response) => response.writeHead(200).end('<html>'));
    const { exit, err } = await finish('stats', { env });
    expect({ exit, err }).toEqual({
      exit: 1,
      err: expect.stringContaining('Is this the address of the API?'),
    });
  });

  it('is told apart from no answer', async () => {
    const { exit, err } = await finish('webhooks trigger wh_1 --url http://127.0.0.1:1', { env });
    expect({ exit, err }).toEqual({ exit: 4, err: expect.stringContaining('got no answer') });
  });
});
