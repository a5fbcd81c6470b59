import { listSchema, successSchema } from '../envelope.ts';
import { pageQuerySchema } from '../queries.ts';
import {
  backtestIdSchema,
  backtestListItemSchema,
  backtestSchema,
  backtestTradeSchema,
  createBacktestSchema,
  deletedBacktestSchema,
  listTradesQuerySchema,
  maxBacktestSignals,
  maxBacktests,
  maxTradesOnPage,
  maxUnfinishedBacktests,
} from '../resources/backtest.ts';
import { signalTypes } from '../resources/signal.ts';
import type { ApiOperation, PathParameters } from './operation.ts';

/** Parameters in paths of backtests. */
export const backtestParameters = {
  backtest_id: { schema: backtestIdSchema, description: 'A backtest’s identifier.' },
} satisfies PathParameters;

/** Strategies tried on signals of the past. */
export const backtestOperations = [
  {
    method: 'post',
    path: '/v1/backtests',
    id: 'createBacktest',
    service: 'tracker',
    scope: 'backtests:write',
    call: 'backtests.create',
    tool: true,
    cost: 10,
    tag: 'Backtests',
    summary: 'Run a backtest',
    description:
      'Tries a strategy on past signals: buys each one that passes the filters, sells it by target, stop or time, and takes off the costs. Every ' +
      'decision uses what was known at its instant, as `as_of` shows it, so a backtest can’t look ahead. The same request ' +
      'with the same `as_of` gives the same result. The work goes on by itself; fetch the backtest until its status is ' +
      `\`completed\`. It can go through ${maxBacktestSignals.toLocaleString('en')} signals; for more the answer is 400 and ` +
      `names \`filters.since\`. An account can have ${maxUnfinishedBacktests} unfinished backtests, and ${maxBacktests} in ` +
      'all; a further one is a conflict. They are kept for 30 days.',
    body: createBacktestSchema,
    status: 201,
    success: 'The backtest, which waits for its turn.',
    answer: successSchema(backtestSchema),
    sample: {
      data: {
        name: null,
        status: 'queued',
        progress: { done: 0 },
        parameters: { filters: { types: signalTypes }, filter: null },
        finished_at: null,
        result: null,
      },
    },
    errors: ['CONFLICT'],
    idempotent: true,
  },
  {
    method: 'get',
    path: '/v1/backtests',
    id: 'listBacktests',
    service: 'tracker',
    scope: 'backtests:write',
    call: 'backtests.list',
    tool: true,
    tag: 'Backtests',
    summary: 'List backtests',
    description: 'Results in the list are without the histogram and the equity curve.',
    query: pageQuerySchema,
    success: 'A page of backtests, newest first.',
    answer: listSchema(backtestListItemSchema),
    paged: true,
  },
  {
    method: 'get',
    path: '/v1/backtests/{backtest_id}',
    id: 'getBacktest',
    service: 'tracker',
    scope: 'backtests:write',
    call: 'backtests.get',
    tool: true,
    tag: 'Backtests',
    summary: 'Get a backtest',
    description: 'Its progress, and its result once it is completed.',
    success: 'The backtest.',
    answer: successSchema(backtestSchema),
    errors: ['NOT_FOUND'],
    conditional: true,
  },
  {
    method: 'get',
    path: '/v1/backtests/{backtest_id}/trades',
    id: 'listBacktestTrades',
    service: 'tracker',
    scope: 'backtests:write',
    call: 'backtests.trades',
    tag: 'Backtests',
    summary: 'List a backtest’s trades',
    description:
      `All trades behind the result, up to ${maxTradesOnPage.toLocaleString('en')} on a page. They do not change any more. While ` +
      'the backtest is not completed, the answer is a conflict.',
    query: listTradesQuerySchema,
    success: 'A page of trades, the newest purchase first.',
    answer: listSchema(backtestTradeSchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
    paged: true,
  },
  {
    method: 'delete',
    path: '/v1/backtests/{backtest_id}',
    id: 'deleteBacktest',
    service: 'tracker',
    scope: 'backtests:write',
    call: 'backtests.delete',
    tag: 'Backtests',
    summary: 'Delete a backtest',
    description: 'Also while it is running: its work ends within seconds. Its result is gone.',
    success: 'The backtest is deleted.',
    answer: successSchema(deletedBacktestSchema),
    errors: ['NOT_FOUND'],
  },
] as const satisfies readonly ApiOperation[];
