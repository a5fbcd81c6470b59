import { signalTypes } from '../signal.ts';
import { accountExamples } from './account-examples.ts';
import { backtestExamples } from './backtest-examples.ts';
import { at, exampleIds, later, success } from './example-values.ts';

const listItem = {
  id: exampleIds.signal_id,
  token: {
    symbol: 'NOVA',
    name: 'Nova',
    contract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    age_hours: 12.5,
  },
  metrics: {
    mcap_entry: 100_000,
    mcap_current: 240_000,
    volume_24h: 52_340.5,
    holders: 321,
    liquidity: 20_000,
  },
  performance: { roi: 140, ath_roi: 180, status: 'winner' },
  type: 'new',
  is_premium: false,
  created_at: at,
};

const payloadSignal = {
  ...listItem,
  token: {
    ...listItem.token,
    dex_paid: true,
    socials: { twitter: 'https://x.com/nova', telegram: '', website: 'https://nova.example' },
  },
  metrics: { ...listItem.metrics, mcap_ath: 280_000 },
  performance: { ...listItem.performance, time_to_ath_hours: 9.25 },
};

const realizable = {
  ...{ signals: 40, avg_roi: -11.42, profitable: 32.5 },
  roi: { p10: -58.2, p25: -54, median: -51, p75: 92, p90: 95 },
  by_exit: { open: 3, target: 12, stop: 22, end: 3 },
};

const meta = { total: 1, page: 1, per_page: 20, total_pages: 1 };

const webhook = {
  id: exampleIds.webhook_id,
  url: 'https://example.com/hooks/sigcast',
  proven: true,
  events: ['signal.new', 'signal.winner'],
  types: ['new', '7d'],
  ordered: false,
  status: 'enabled',
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  disables_at: null,
  description: 'Alerts',
  previous_secret_expires_at: null,
  recovery: null,
  created_at: at,
  updated_at: at,
};

const recovery = {
  since: at,
  status: 'completed',
  retried: 3,
  opened: 41,
  requested_at: later,
  completed_at: later,
};

const delivery = {
  id: exampleIds.delivery_id,
  event_id: 'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S',
  event: 'signal.new',
  signal_id: exampleIds.signal_id,
  status: 'delivered',
  attempt_count: 2,
  next_attempt_at: null,
  last_attempt: { started_at: later, outcome: 'succeeded', http_status: 200, error: null },
  created_at: at,
  updated_at: later,
};

const sent = (attempt: number) => ({
  url: webhook.url,
  headers: [
    { name: 'host', value: 'example.com' },
    { name: 'content-type', value: 'application/json' },
    { name: 'content-length', value: '612' },
    { name: 'user-agent', value: 'Sigcast-Webhooks/1.0' },
    { name: 'webhook-id', value: delivery.event_id },
    { name: 'webhook-timestamp', value: String(1_767_268_800 + (attempt - 1) * 48_600) },
    { name: 'webhook-signature', value: 'v1,5V2mPpUVPPN3MC3hSzAGmZpDb9kvK1yT7xGk2Yd0xJc=' },
    { name: 'webhook-attempt', value: String(attempt) },
  ],
});

const attempts = [
  {
    number: 1,
    started_at: at,
    duration_ms: 5_000,
    outcome: 'timeout',
    http_status: null,
    error: 'No answer within 5000 ms',
    response_body: null,
    request: sent(1),
    response_headers: null,
    timings: { dns_ms: 3.1, connect_ms: 18.4, tls_ms: 24.9, first_byte_ms: null },
    address: '203.0.113.7',
  },
  {
    number: 2,
    started_at: later,
    duration_ms: 84,
    outcome: 'succeeded',
    http_status: 200,
    error: null,
    response_body: 'ok',
    request: sent(2),
    response_headers: [{ name: 'Content-Type', value: 'text/plain' }],
    timings: { dns_ms: 2.8, connect_ms: 17.9, tls_ms: 25.2, first_byte_ms: 36.7 },
    address: '203.0.113.7',
  },
];

/** One example for each body and answer, by its name in the document. */
export const examples: Readonly<Record<string, unknown>> = {
  SignalList: { ...success([listItem]), meta: { ...meta, next_cursor: null } },
  SignalAnswer: success({ ...payloadSignal, updated_at: later }),
  Outcome: {
    ...{ status: 'winner', decided_by: 'rule', rule: 'v1', decided_at: later },
    observations: ['2026-01-02T01:19:30.000Z', '2026-01-02T01:29:58.000Z'],
  },
  SignalHistoryAnswer: success({
    ...{ id: exampleIds.signal_id, from: at, until: later, resolution: '5m' },
    entry: { at, mcap: 100_000 },
    ath: { at: '2026-01-01T21:15:00.000Z', mcap: 280_000 },
    status: 'winner',
    buckets: [
      {
        ...{ start: '2026-01-01T12:00:00.000Z', count: 3 },
        mcap: { open: 100_000, high: 118_000, low: 97_500, close: 112_000 },
        liquidity: { open: 20_000, high: 20_400, low: 19_800, close: 20_100 },
      },
      {
        ...{ start: '2026-01-01T21:15:00.000Z', count: 1 },
        mcap: { open: 280_000, high: 280_000, low: 280_000, close: 280_000 },
        liquidity: { open: 31_000, high: 31_000, low: 31_000, close: 31_000 },
      },
    ],
    changes: [
      {
        ...{ at: '2026-01-01T21:15:00.000Z', status: 'winner', decided_by: 'rule', rule: 'v1' },
        decided_at: '2026-01-01T21:15:00.412Z',
        observations: ['2026-01-01T21:00:00.000Z', '2026-01-01T21:15:00.000Z'],
      },
    ],
  }),
  StatisticsAnswer: success({
    total_signals: 1,
    winners: 1,
    win_rate: 100,
    avg_roi: 140,
    best_roi: 140,
    by_type: Object.fromEntries(
      signalTypes.map((type) => [
        type,
        type === 'new' ? { total: 1, winners: 1, win_rate: 100 } : { total: 0, winners: 0, win_rate: 0 },
      ]),
    ),
    as_of: later,
  }),
  RealizableStatistics: { rule: 'v1', ...realizable, by_type: { new: realizable } },
  TypeRealizableStatistics: realizable,
  RealizablePoint: { signals: 40, avg_roi: -11.42 },
  Percentiles: { p10: -62.5, p25: -20, median: 12.5, p75: 140, p90: 480 },
  StatisticsSeriesAnswer: success({
    period: '24h',
    interval: 'hour',
    points: [
      { from: at, total_signals: 1, winners: 1, win_rate: 100, avg_roi: 140, best_roi: 140 },
      {
        from: '2026-01-01T13:00:00.000Z',
        total_signals: 0,
        winners: 0,
        win_rate: 0,
        avg_roi: 0,
        best_roi: 0,
      },
    ],
    as_of: '2026-01-01T13:30:00.000Z',
  }),
  ...backtestExamples,
  CreateWebhook: { url: webhook.url, events: webhook.events, types: webhook.types, description: 'Alerts' },
  CreatedWebhookAnswer: success({ ...webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
  WebhookList: { ...success([webhook]), meta },
  WebhookAnswer: success(webhook),
  UpdateWebhook: { events: ['signal.winner'], status: 'enabled' },
  RecoverWebhook: { since: at },
  RecoveryAnswer: success(recovery),
  DeletedWebhookAnswer: success({ id: webhook.id, deleted: true }),
  WebhookHealthAnswer: success({
    last_24_hours: { since: at, delivered: 998, failed: 2, success_rate: 99.8 },
    last_attempts: { attempts: 100, succeeded: 97, success_rate: 97 },
    last_error: {
      ...{ delivery_id: delivery.id, started_at: at, outcome: 'timeout' },
      ...{ http_status: null, error: 'No answer within 5000 ms' },
    },
    waiting: 0,
    retrying: 1,
    failed: 2,
  }),
  DeliveryList: { ...success([delivery]), meta: { ...meta, next_cursor: null } },
  DeliveryAnswer: success({
    ...delivery,
    body: JSON.stringify({ event: delivery.event, timestamp: at, data: payloadSignal }),
    attempts,
  }),
  EventList: {
    ...success([{ id: delivery.event_id, event: 'signal.winner', timestamp: later, data: payloadSignal }]),
    meta: { next_cursor: 'pos_1042', has_more: false },
  },
  WebhookPayload: { event: 'signal.winner', timestamp: later, data: payloadSignal },
  WebhookStatePayload: {
    event: 'webhook.failing',
    timestamp: later,
    data: {
      ...{ id: webhook.id, url: webhook.url, description: webhook.description },
      ...{ failing_since: at, disables_at: '2026-01-04T12:00:00.000Z', disabled_reason: null },
    },
  },
  ...accountExamples,
  ApiIndex: success({ name: 'Sigcast API', version: 'v1', documentation: '/docs', openapi: '/openapi.json' }),
};
