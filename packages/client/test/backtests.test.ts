import { type Receiver, startReceiver } from '@sigcast/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BacktestFailedError } from '../src/index.ts';
import { failure, success } from './answers.ts';
import { testClient } from './surroundings.ts';

let server: Receiver;

beforeEach(async () => {
  server = await startReceiver();
});

afterEach(() => server?.[Symbol.asyncDispose]());

const filters = { since: new Date('2026-01-01T00:00:00Z') };
const backtest = (status: string, done: number, more = {}) =>
  success({ id: 'bt_1', status, progress: { done, total: 40 }, error: null, result: null, ...more });
const result = { trades: 30, profit_usd: -12.5 };
const completed = backtest('completed', 40, { result });
const sent = () => server.requests.map(({ method, path }) => `${method} ${path}`);
const keys = () => server.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []);

describe('creating a backtest', () => {
  it('sends the same idempotency key with every retry, the caller’s own key if there is one', async () => {
    const { sigcast } = testClient(server.url);
    server.script('/v1/backtests', 'drop', backtest('queued', 0), backtest('queued', 0));
    expect((await sigcast.backtests.create({ filters })).data.id).toBe('bt_1');
    await sigcast.backtests.create({ filters }, { idempotencyKey: 'mine-7' });
    expect(keys()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys()[0], 'mine-7']);
    expect(JSON.parse(String(server.requests[0]?.body))).toEqual({
      filters: { since: '2026-01-01T00:00:00.000Z' },
    });
  });
});

describe('running a backtest', () => {
  it('fetches it until it is completed, with pauses that grow to five seconds, and reports its progress', async () => {
    const { sigcast, pausesMs } = testClient(server.url);
    server.script('/v1/backtests', backtest('queued', 0));
    const running = [0, 10, 10, 20, 30].map((done) => backtest('running', done));
    server.script('/v1/backtests/bt_1', ...running, completed);
    const told: string[] = [];
    const { data, requestId } = await sigcast.backtests.run(
      { filters },
      { onProgress: ({ status, progress }) => told.push(`${status} ${progress.done}`) },
    );
    expect({ profit: data.result.profit_usd, requestId }).toEqual({
      profit: -12.5,
      requestId: 'req_12345678',
    });
    expect(told).toEqual([
      ...['queued 0', 'running 0', 'running 10', 'running 10', 'running 20', 'running 30'],
      'completed 40',
    ]);
    // Randomness is 0 here, so each pause is half of the longest one possible.
    expect(pausesMs).toEqual([250, 500, 1_000, 2_000, 2_500, 2_500]);
  });

  it('throws why the backtest failed, with the backtest', async () => {
    const { sigcast } = testClient(server.url);
    server.script('/v1/backtests', backtest('queued', 0));
    server.script('/v1/backtests/bt_1', backtest('failed', 10, { error: 'Three processes ended' }));
    const error = await sigcast.backtests.run({ filters }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BacktestFailedError);
    expect(error).toMatchObject({
      message: 'The backtest bt_1 failed: Three processes ended',
      backtest: { id: 'bt_1', status: 'failed' },
    });
  });

  it('waits as long as a rate limit says, and continues', async () => {
    const { sigcast, pausesMs } = testClient(server.url);
    server.script('/v1/backtests', backtest('queued', 0));
    const limited = failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 30 });
    server.script('/v1/backtests/bt_1', limited, completed);
    expect((await sigcast.backtests.run({ filters })).data.status).toBe('completed');
    expect(pausesMs).toEqual([250, 30_000]);
  });

  it('with the key of an earlier call waits for the same backtest', async () => {
    const { sigcast } = testClient(server.url);
    const queued = backtest('queued', 0);
    server.script('/v1/backtests', queued, queued);
    server.script('/v1/backtests/bt_1', failure(403, 'FORBIDDEN'), completed);
    const run = () => sigcast.backtests.run({ filters }, { idempotencyKey: 'mine-8' });
    await expect(run()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await run()).data.result.trades).toBe(30);
    expect(keys()).toEqual(['mine-8', 'mine-8']);
  });

  it('rejects with the caller’s reason when it is aborted between two requests, and deletes nothing', async () => {
    const { sigcast } = testClient(server.url);
    const caller = new AbortController();
    const reason = new Error('not needed any more');
    server.script('/v1/backtests', backtest('queued', 0));
    server.script('/v1/backtests/bt_1', backtest('running', 1));
    const onProgress = ({ status }: { status: string }) => {
      if (status === 'running') caller.abort(reason);
    };
    const run = sigcast.backtests.run({ filters }, { onProgress, signal: caller.signal });
    await expect(run).rejects.toBe(reason);
    expect(sent()).toEqual(['POST /v1/backtests', 'GET /v1/backtests/bt_1']);
  });
});
