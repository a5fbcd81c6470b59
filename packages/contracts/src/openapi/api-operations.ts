import { listSchema, successSchema } from '../envelope.ts';
import { listSignalsQuerySchema, statsQuerySchema } from '../queries.ts';
import { signalDetailSchema, signalListItemSchema } from '../signal.ts';
import { statisticsSchema } from '../statistics.ts';
import type { Operation } from './operation.ts';
import { webhookOperations } from './webhook-operations.ts';

/** Everything under /v1, opened by an API key. */
export const apiOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/signals',
    id: 'listSignals',
    tag: 'Signals',
    summary: 'List signals, newest first',
    description:
      'Ordered by `created_at` descending, then `id` descending. Follow `meta.next_cursor` to read everything: ' +
      'it neither skips nor repeats a signal while new ones arrive.',
    query: listSignalsQuerySchema,
    status: 200,
    success: 'A page of signals.',
    answer: { name: 'SignalList', schema: listSchema(signalListItemSchema) },
    errors: [],
    conditional: true,
  },
  {
    method: 'get',
    path: '/v1/signals/{signal_id}',
    id: 'getSignal',
    tag: 'Signals',
    summary: 'Fetch one signal',
    status: 200,
    success: 'The signal with everything that is known of it.',
    answer: { name: 'SignalAnswer', schema: successSchema(signalDetailSchema) },
    errors: ['NOT_FOUND'],
    conditional: true,
  },
  {
    method: 'get',
    path: '/v1/stats',
    id: 'getStatistics',
    tag: 'Statistics',
    summary: 'Statistics over the signals created in a period',
    description:
      'Counts, win rate and returns, in all and by type. They follow a change of a signal within a second.',
    query: statsQuerySchema,
    status: 200,
    success: 'The figures, exact at `data.as_of`.',
    answer: { name: 'StatisticsAnswer', schema: successSchema(statisticsSchema) },
    errors: [],
    conditional: true,
  },
  ...webhookOperations,
];
