import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, success } from '../answers.ts';
import { describeWithTerminal, startAtTerminal, startSigcast } from './child.ts';
import { finish, runCommand } from './terminal.ts';

let api: Receiver;
let env: Record<string, string>;

beforeEach(async () => {
  api = await startReceiver();
  env = { SIGCAST_API_KEY: 'sk_test', SIGCAST_URL: api.url };
});

afterEach(() => api?.[Symbol.asyncDispose]());

const figures = { trades: 3, profit_usd: -12.5, avg_roi: -4.17, profitable: 33.33 };
const none = { trades: 0, profit_usd: 0, avg_roi: 0, profitable: 0 };
const trade = (id: string, roi: number) => ({
  signal_id: id,
  symbol: 'NOVA',
  type: 'new',
  roi,
  profit_usd: roi,
  entered_at: '2026-01-01T12:01:30.000Z',
  exited_at: null,
  exit: null,
});
const result = {
  signals: 5,
  not_bought: { no_entry: 1, filtered: 1 },
  ...figures,
  realized_usd: -20,
  roi: { p10: -50, p25: -50, median: -3.89, p75: 90, p90: 90 },
  by_exit: { open: 1, target: 1, stop: 1, end: 0 },
  by_type: { new: figures, '3d': none },
  avg_hours_held: 17.4,
  max_open: 2,
  max_drawdown_usd: 50,
  best: [
    trade('sig_1', 90),
    { ...trade('sig_2', -3.89), exited_at: '2026-01-01T20:10:00.000Z', exit: 'target' },
  ],
  worst: [trade('sig_3', -98.61), trade('sig_2', -3.89)],
  hourly_before: '2025-12-09T00:00:00.000Z',
  histogram: [{ from: -100, to: 100, trades: 3 }],
  equity: {
    interval_minutes: 60,
    points: [
      { at: '2026-01-01T13:00:00.000Z', profit_usd: -8.1, realized_usd: 0, drawdown_usd: 8.1, open: 2 },
    ],
  },
};
const backtest = {
  id: 'bt_1',
  name: 'Patient',
  status: 'completed',
  progress: { done: 5, total: 5 },
  parameters: {
    filters: {
      since: '2026-01-01T00:00:00.000Z',
      until: '2026-01-08T00:00:00.000Z',
      types: ['new', '3d'],
      is_premium: true,
      min_mcap: null,
      max_mcap: null,
      min_liquidity: 10_000,
      min_volume_24h: null,
      min_holders: null,
    },
    filter: { type: { eq: 'new' } },
    delay_minutes: 1,
    size_usd: 100,
    target: null,
    stop: 0.5,
    hold_hours: 168,
    costs: { fee_percent: 1, price_impact: true },
    as_of: '2026-01-08T00:00:00.000Z',
  },
  error: null,
  created_at: '2026-01-08T00:02:00.000Z',
  finished_at: '2026-01-08T00:02:06.000Z',
  result,
};
const unfinished = (status: string, done: number) =>
  success({ ...backtest, status, progress: { done, total: 5 }, result: null, finished_at: null });
const body = () => JSON.parse(String(api.requests[0]?.body)) as unknown;

describe('sigcast backtest', () => {
  it('sends what the options say, waits with its progress on the terminal, and prints the result as tables', async () => {
    api.script('/v1/backtests', unfinished('queued', 0));
    api.script('/v1/backtests/bt_1', unfinished('running', 2), success(backtest));
    const options = [
      '--name Patient --since 2026-01-01 --until 2026-01-08T00:00:00Z --type new,3d --premium yes --min-liquidity 10000',
      '--min-mcap 1.5 --max-mcap 2 --min-volume-24h 3 --min-holders 4 --delay 5 --size 50 --target none --stop 0.4',
      '--filter {"type":{"eq":"new"}} --hold 24 --fee 0.5 --no-price-impact --as-of 2026-01-08',
    ];
    const { ended, printed, noted, shown } = runCommand(`backtest ${options.join(' ')}`, { env });
    expect(await ended).toBe(0);
    expect(body()).toEqual({
      name: 'Patient',
      filters: {
        since: '2026-01-01',
        until: '2026-01-08T00:00:00Z',
        types: ['new', '3d'],
        is_premium: true,
        min_liquidity: 10_000,
        min_mcap: 1.5,
        max_mcap: 2,
        min_volume_24h: 3,
        min_holders: 4,
      },
      filter: { type: { eq: 'new' } },
      delay_minutes: 5,
      size_usd: 50,
      target: null,
      stop: 0.4,
      hold_hours: 24,
      costs: { fee_percent: 0.5, price_impact: false },
      as_of: '2026-01-08',
    });
    expect(shown).toEqual(['Waiting for its turn', '2 of 5 signals']);
    expect(noted).toEqual([]);
    expect(printed).toEqual([
      'Backtest  bt_1',
      'Name      Patient',
      'Signals   created after 2026-01-01T00:00:00Z, up to 2026-01-08T00:00:00Z',
      'Filters   types new,3d; only premium; liquidity from $10,000; conditions {"type":{"eq":"new"}}',
      'Purchase  $100, 1 min after the signal',
      'Sale      no target, stop 0.5 ×, at most 168 h',
      'Costs     1 % of each trade, and price impact',
      'As of     2026-01-08T00:00:00Z',
      'Trades    3 of 5 signals (1 without an entry, 1 filtered out)',
      'Profit    -$12.50; -$20 realized',
      'Mean ROI  -4.17 %; 33.33 % of the trades are profitable',
      'ROI       p10 -50 %, p25 -50 %, median -3.89 %, p75 90 %, p90 90 %',
      'Exits     1 open, 1 target, 1 stop, 0 end',
      'Held      17.4 h on average',
      'Capital   $200, for 2 positions at the same time',
      'Drawdown  $50',
      '',
      'TYPE  TRADES   PROFIT  MEAN ROI  PROFITABLE',
      'new        3  -$12.50   -4.17 %     33.33 %',
      '',
      '     ROI   PROFIT  SYMBOL  BOUGHT                SOLD                  EXIT    SIGNAL',
      '    90 %      $90  NOVA    2026-01-01T12:01:30Z  –                     open    sig_1',
      ' -3.89 %   -$3.89  NOVA    2026-01-01T12:01:30Z  2026-01-01T20:10:00Z  target  sig_2',
      '-98.61 %  -$98.61  NOVA    2026-01-01T12:01:30Z  –                     open    sig_3',
    ]);
  });

  it('sends no member whose option is left out, and with --json prints the backtest as the API gave it', async () => {
    api.script('/v1/backtests', success(backtest));
    const { exit, out, err } = await finish('backtest --since 2026-01-01 --json', { env });
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(body()).toEqual({ filters: { since: '2026-01-01' } });
    expect(JSON.parse(out)).toEqual(backtest);
  });

  it('says before which instant the history is hourly, if the backtest goes back that far', async () => {
    api.script(
      '/v1/backtests/bt_1',
      success({ ...backtest, result: { ...result, hourly_before: '2026-01-02T00:00:00.000Z' } }),
    );
    const { out } = await finish('backtest show bt_1', { env });
    expect(out).toMatch(/^Precision +one observation an hour before 2026-01-02T00:00:00Z$/m);
  });

  it('prints no figures of trades where there are none', async () => {
    const nothing = { ...result, ...none, by_type: { new: none }, best: [], worst: [] };
    api.script('/v1/backtests/bt_1', success({ ...backtest, result: nothing }));
    const { out } = await finish('backtest show bt_1', { env });
    const [trades, ...more] = out.split('\n').slice(8);
    expect(trades).toBe('Trades    0 of 5 signals (1 without an entry, 1 filtered out)');
    expect(more).toEqual([]);
  });

  it('says at Ctrl-C that the backtest goes on, and how to see it', async () => {
    api.script('/v1/backtests', unfinished('queued', 0));
    let asked = false;
    api.script('/v1/backtests/bt_1', () => {
      asked = true;
    });
    const command = runCommand('backtest --since 2026-01-01', { env });
    await eventually(() => expect(asked).toBe(true));
    command.interrupt();
    expect(await command.ended).toBe(130);
    expect(command.noted).toEqual(['The backtest goes on: sigcast backtest show bt_1']);
    expect(command.printed).toEqual([]);
    expect(api.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('says at Ctrl-C before the first answer that a backtest may have begun', async () => {
    let asked = false;
    api.script('/v1/backtests', () => {
      asked = true;
    });
    const command = runCommand('backtest --since 2026-01-01', { env });
    await eventually(() => expect(asked).toBe(true));
    command.interrupt();
    expect(await command.ended).toBe(130);
    expect(command.noted).toEqual(['A backtest may have begun: sigcast backtest list']);
  });

  it('says why a backtest failed, and exits with 1', async () => {
    api.script('/v1/backtests', unfinished('running', 2));
    api.script(
      '/v1/backtests/bt_1',
      success({ ...backtest, status: 'failed', error: 'It ended', result: null }),
    );
    const { exit, err } = await finish('backtest --since 2026-01-01', { env });
    expect({ exit, err }).toEqual({ exit: 1, err: 'sigcast: The backtest bt_1 failed: It ended' });
  });

  it('says that the backtest goes on when the API refuses further requests, but not when it was deleted', async () => {
    api.script('/v1/backtests', unfinished('running', 2), unfinished('running', 2));
    api.script('/v1/backtests/bt_1', failure(401, 'UNAUTHORIZED'), failure(404, 'NOT_FOUND'));
    const refused = await finish('backtest --since 2026-01-01', { env });
    expect(refused.exit).toBe(3);
    expect(refused.err).toContain('The backtest goes on: sigcast backtest show bt_1');
    const deleted = await finish('backtest --since 2026-01-01', { env });
    expect(deleted.exit).toBe(1);
    expect(deleted.err).not.toContain('goes on');
  });

  it.each([
    ['', '--since is missing'],
    ['--since 2026-01-01 --min-liquidity 10k', '--min-liquidity must be a number, not "10k"'],
    ['--since 2026-01-01 --target off', '--target must be a number, not "off"'],
    ['--since 2026-01-01 --premium true', '--premium must be yes or no, not "true"'],
    ['lst', 'unless it is list, show or delete'],
  ])('says of "%s" what is wrong, sends nothing, and exits with 2', async (options, message) => {
    const { exit, err } = await finish(`backtest ${options}`, { env });
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(message) });
    expect(api.requests).toEqual([]);
  });

  it('names the option of each value that the API refuses', async () => {
    const fields = ['filters.since', 'filters.types.0', 'target', 'costs.fee_percent', 'as_of'];
    const details = fields.map((field) => ({ field, message: 'is wrong' }));
    api.script('/v1/backtests', (response) =>
      response
        .writeHead(400)
        .end(JSON.stringify({ success: false, error: { code: 'INVALID_REQUEST', message: 'No', details } })),
    );
    const { exit, err } = await finish('backtest --since now', { env });
    expect(exit).toBe(2);
    const options = [...err.matchAll(/^ {2}(--\S+) is wrong$/gm)].map(([, option]) => option);
    expect(options).toEqual(['--since', '--type', '--target', '--fee', '--as-of']);
  });
});

describe('the commands about backtests', () => {
  it('list them, also those without a result', async () => {
    const waiting = { ...backtest, id: 'bt_2', name: null, status: 'queued', result: null };
    api.script('/v1/backtests?limit=100', success([waiting, backtest], { total: 2 }));
    const { out } = await finish('backtest list', { env });
    const [title, first, second] = out.split('\n');
    expect(title).toMatch(/^CREATED +STATUS +SINCE +UNTIL +TRADES +PROFIT +MEAN ROI +NAME +ID$/);
    expect(first).toMatch(/ queued +2026-01-01T00:00:00Z +2026-01-08T00:00:00Z +– +– +– +– +bt_2$/);
    expect(second).toMatch(/ completed .* 3 +-\$12\.50 +-4\.17 % +Patient +bt_1$/);
  });

  it('show how far one is, and delete it', async () => {
    api.script('/v1/backtests/bt_1', unfinished('running', 2), success({ id: 'bt_1', deleted: true }));
    const { out } = await finish('backtest show bt_1', { env });
    expect(out).toMatch(/^Status +2 of 5 signals$/m);
    expect((await finish('backtest delete bt_1', { env })).out).toBe('Deleted bt_1');
    expect(api.requests.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  });
});

describeWithTerminal('sigcast backtest as a process', () => {
  const atTerminal = () => startAtTerminal('backtest --since 2026-01-01', env);

  it('shows a terminal the progress in one line, and removes that line before the result', async () => {
    api.script('/v1/backtests', unfinished('queued', 0));
    api.script('/v1/backtests/bt_1', unfinished('running', 2), success(backtest));
    const { out, ended } = atTerminal();
    expect(await ended).toBe(0);
    const removed = '\r\u001b[K';
    const shown = `${removed}Waiting for its turn${removed}2 of 5 signals${removed}Backtest  bt_1`;
    expect(out().startsWith(shown)).toBe(true);
  }, 20_000);

  it('ends at Ctrl-C at a terminal with 130, and says where the backtest is', async () => {
    api.script('/v1/backtests', unfinished('queued', 0));
    api.script('/v1/backtests/bt_1', 'hang');
    const { type, out, ended } = atTerminal();
    await eventually(() => expect(out()).toContain('Waiting for its turn'), { timeoutMs: 20_000 });
    type('\u0003');
    expect(await ended).toBe(130);
    expect(out()).toContain('The backtest goes on: sigcast backtest show bt_1');
  }, 30_000);

  it('writes no progress where there is no terminal', async () => {
    api.script('/v1/backtests', unfinished('queued', 0));
    api.script('/v1/backtests/bt_1', unfinished('running', 2), success(backtest));
    const { out, err, ended } = startSigcast(['backtest', '--since', '2026-01-01', '--json'], env);
    expect(await ended).toBe(0);
    expect(JSON.parse(out())).toEqual(backtest);
    expect(err()).toBe('');
  }, 20_000);
});
