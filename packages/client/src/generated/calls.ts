// Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit.
import type { Answer, Page } from '../answer.ts';
import { queryString } from '../query.ts';
import { type CallOptions, Group, type IdempotentOptions, segment, type Transport } from '../transport.ts';
import type {
  Backtest,
  BacktestListItem,
  BacktestTrade,
  CreateBacktest,
  CreateWebhook,
  CreatedWebhook,
  DeletedBacktest,
  DeletedWebhook,
  Delivery,
  DeliveryDetail,
  EventListMeta,
  FeedEvent,
  GetSignalHistoryQuery,
  GetSignalQuery,
  GetStatisticsQuery,
  GetStatisticsSeriesQuery,
  ListBacktestTradesQuery,
  ListBacktestsQuery,
  ListDeliveriesQuery,
  ListEventsQuery,
  ListMeta,
  ListSignalsQuery,
  ListWebhooksQuery,
  RecoverWebhook,
  Recovery,
  Signal,
  SignalHistory,
  SignalListItem,
  SignalProof,
  Statistics,
  StatisticsSeries,
  TriedFilter,
  TryFilter,
  UpdateWebhook,
  Webhook,
  WebhookHealth,
} from './types.ts';

/** `sigcast.signals`: Token signals, each with market data and performance. */
export class Signals extends Group {
  /**
   * List signals.
   *
   * Signals with their token, metrics and performance, newest first, or highest first by the figure that `sort`
   * names. Filter by type, status, time, token or any other field (`filter`), and follow `meta.next_cursor` to
   * read everything: no signal is skipped or repeated while new ones arrive. With `as_of`, you get the list as it
   * was known at that instant. In a list sorted by a figure, only signals whose figure changes meanwhile may be
   * skipped or repeated. Equal ones are ordered by `id` descending. With `as_of`, filters apply to the figures and
   * statuses of that instant, and `include`, `filter` and `sort` can’t be used. The total then counts at most
   * 20,000 signals, as for `symbol`, `contract` and `chain`; `meta.total_capped` says where there are more. A
   * `filter`, and a `sort` by a figure, examines at most 20,000 signals, and the total of these is exact. If the
   * other parameters and the conditions that an index serves leave more, the answer is 400 and names `filter` or
   * `sort`. An index serves `created_at`, `eq` and `in` of `type` and `performance.status`, and `eq` of
   * `token.chain`, `token.contract` and `token.symbol`, outside `any` and `not`. A key that has scopes needs
   * `signals:read`.
   */
  list(
    query: ListSignalsQuery = {},
    options?: CallOptions,
  ): Promise<Page<SignalListItem, ListMeta>> {
    return this.transport.send<readonly SignalListItem[], ListMeta>({ method: 'GET', path: `/v1/signals${queryString(query)}` }, options);
  }

  /**
   * Everything that `list` finds, page after page, each entry once. One request for each `limit` entries; default:
   * 100.
   */
  iterate(
    query: Omit<ListSignalsQuery, 'page'> = {},
    options?: CallOptions,
  ): AsyncGenerator<SignalListItem, void, undefined> {
    return this.transport.entries<SignalListItem>(`/v1/signals`, { query, cursor: 'cursor' }, options);
  }

  /**
   * Get a signal.
   *
   * The token, metrics and performance of a signal, and when the signal last changed. With `include=outcome`, the
   * answer also says who decided the status, by which rule, and on which observations; with `include=origin`, by
   * which rule the signal was made, and from which figures; with `include=realizable`, what an order of 100 US
   * dollars would have earned by the published exit rule, after costs. With `as_of`, the answer is the signal as
   * it was known at that instant, and 404 where it was not known; `include` can’t be used with it. A key that has
   * scopes needs `signals:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  get(
    signalId: string,
    query: GetSignalQuery = {},
    options?: CallOptions,
  ): Promise<Answer<Signal>> {
    return this.transport.send<Signal>({ method: 'GET', path: `/v1/signals/${segment(signalId)}${queryString(query)}` }, options);
  }

  /**
   * Get a signal’s history.
   *
   * Market cap and liquidity over time, for charts: the observations of a signal in buckets of a minute, five
   * minutes, an hour, a day or a week (UTC), with its entry, its all-time high and every change of its status. The
   * history follows a change of the signal within a second. It is 404 where no history was recorded: for a moment
   * after a signal is created, and for an old signal that has not changed since the system keeps histories. An
   * answer has at most 1,000 buckets; for more, it is 400 and names `resolution`. Of observations older than 30
   * days the last of each hour is kept, and those that change the status or are a new all-time high. A key that
   * has scopes needs `signals:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  history(
    signalId: string,
    query: GetSignalHistoryQuery = {},
    options?: CallOptions,
  ): Promise<Answer<SignalHistory>> {
    return this.transport.send<SignalHistory>({ method: 'GET', path: `/v1/signals/${segment(signalId)}/history${queryString(query)}` }, options);
  }

  /**
   * Get a signal’s proof.
   *
   * Proves that a signal and its outcome are in the public log. `entries` is what was published about the signal,
   * word for word: the signal when it was created, each decision of its outcome, and corrections. Each entry has
   * the proof that the signed checkpoint has it. It is 404 until the log has the signal, some two seconds after it
   * is created. A key that has scopes needs `signals:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  proof(
    signalId: string,
    options?: CallOptions,
  ): Promise<Answer<SignalProof>> {
    return this.transport.send<SignalProof>({ method: 'GET', path: `/v1/signals/${segment(signalId)}/proof` }, options);
  }
}

/** `sigcast.stats`: Figures over many signals. */
export class Stats extends Group {
  /**
   * Get statistics.
   *
   * Counts, win rate and returns of the signals created in a period, in total and by type. Figures follow a change
   * of a signal within a second. With `include=distribution`, the answer also has percentiles of `roi` and
   * `ath_roi` (nearest rank, each within 0.5 % of its exact value), the number of signals of each status, and the
   * mean time to the all-time high. With `include=realizable`, it has what an order of 100 US dollars would have
   * earned after costs, bought and sold by a published rule: the mean, the part in profit, percentiles, and how
   * the orders were sold. With `as_of`, the figures are those of that instant, over the signals created in the
   * period before it. The period may then have at most 5,000 signals: with more, the answer is 400 and names
   * `period`; and `include=realizable` can’t be used. A key that has scopes needs `stats:read`.
   */
  get(
    query: GetStatisticsQuery = {},
    options?: CallOptions,
  ): Promise<Answer<Statistics>> {
    return this.transport.send<Statistics>({ method: 'GET', path: `/v1/stats${queryString(query)}` }, options);
  }

  /**
   * Get statistics over time.
   *
   * The figures of `GET /v1/stats` for each hour or day (UTC) of a period, for charts, by the time when signals
   * were created. Totals of the points add up to those of the period. The first point is the interval in which the
   * period begins; for `all`, the first interval that has a signal. The last point is the interval of `as_of`, or
   * of a signal whose producer’s clock is ahead. An answer has at most 3,000 points; if `all` reaches back more
   * than 3,000 days, the answer is 400 and names `period`. With `include=realizable`, each point also has what an
   * order by the exit rule earned on average with the signals created in it. A key that has scopes needs
   * `stats:read`.
   */
  series(
    query: GetStatisticsSeriesQuery = {},
    options?: CallOptions,
  ): Promise<Answer<StatisticsSeries>> {
    return this.transport.send<StatisticsSeries>({ method: 'GET', path: `/v1/stats/series${queryString(query)}` }, options);
  }
}

/** `sigcast.backtests`: Strategies tried on signals of the past. */
export class Backtests extends Group {
  /**
   * Run a backtest.
   *
   * Tries a strategy on past signals: buys each one that passes the filters, sells it by target, stop or time, and
   * takes off the costs. Every decision uses what was known at its instant, as `as_of` shows it, so a backtest
   * can’t look ahead. The same request with the same `as_of` gives the same result. The work goes on by itself;
   * fetch the backtest until its status is `completed`. It can go through 10,000 signals; for more the answer is
   * 400 and names `filters.since`. An account can have 3 unfinished backtests, and 100 in all; a further one is a
   * conflict. They are kept for 30 days. A key that has scopes needs `backtests:write`.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  create(
    body: CreateBacktest,
    { idempotencyKey = crypto.randomUUID(), ...options }: IdempotentOptions = {},
  ): Promise<Answer<Backtest>> {
    return this.transport.send<Backtest>({ method: 'POST', path: `/v1/backtests`, body, idempotencyKey }, options);
  }

  /**
   * List backtests.
   *
   * Results in the list are without the histogram and the equity curve. A key that has scopes needs
   * `backtests:write`.
   */
  list(
    query: ListBacktestsQuery = {},
    options?: CallOptions,
  ): Promise<Page<BacktestListItem, ListMeta>> {
    return this.transport.send<readonly BacktestListItem[], ListMeta>({ method: 'GET', path: `/v1/backtests${queryString(query)}` }, options);
  }

  /**
   * Get a backtest.
   *
   * Its progress, and its result once it is completed. A key that has scopes needs `backtests:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  get(
    backtestId: string,
    options?: CallOptions,
  ): Promise<Answer<Backtest>> {
    return this.transport.send<Backtest>({ method: 'GET', path: `/v1/backtests/${segment(backtestId)}` }, options);
  }

  /**
   * List a backtest’s trades.
   *
   * All trades behind the result, up to 1,000 on a page. They do not change any more. While the backtest is not
   * completed, the answer is a conflict. A key that has scopes needs `backtests:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  trades(
    backtestId: string,
    query: ListBacktestTradesQuery = {},
    options?: CallOptions,
  ): Promise<Page<BacktestTrade, ListMeta>> {
    return this.transport.send<readonly BacktestTrade[], ListMeta>({ method: 'GET', path: `/v1/backtests/${segment(backtestId)}/trades${queryString(query)}` }, options);
  }

  /**
   * Delete a backtest.
   *
   * Also while it is running: its work ends within seconds. Its result is gone. A key that has scopes needs
   * `backtests:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  delete(
    backtestId: string,
    options?: CallOptions,
  ): Promise<Answer<DeletedBacktest>> {
    return this.transport.send<DeletedBacktest>({ method: 'DELETE', path: `/v1/backtests/${segment(backtestId)}` }, options);
  }
}

/** `sigcast.webhooks`: Addresses that get events, and the log of deliveries. */
export class Webhooks extends Group {
  /**
   * Create a webhook.
   *
   * Sends events to an address. The answer contains the signing secret, which is shown only now. An account can
   * have 20 webhooks, or as many as its plan allows. Until the address has answered 200 once, it gets one request
   * at a time. While it fails, pauses grow to a minute, and events wait. A key that has scopes needs
   * `webhooks:write`.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  create(
    body: CreateWebhook,
    { idempotencyKey = crypto.randomUUID(), ...options }: IdempotentOptions = {},
  ): Promise<Answer<CreatedWebhook>> {
    return this.transport.send<CreatedWebhook>({ method: 'POST', path: `/v1/webhooks`, body, idempotencyKey }, options);
  }

  /**
   * List webhooks.
   *
   * All webhooks of the account, without their secrets. An account has 20 at most, so one page of 20 holds all. A
   * key that has scopes needs `webhooks:read`.
   */
  list(
    query: ListWebhooksQuery = {},
    options?: CallOptions,
  ): Promise<Page<Webhook, ListMeta>> {
    return this.transport.send<readonly Webhook[], ListMeta>({ method: 'GET', path: `/v1/webhooks${queryString(query)}` }, options);
  }

  /**
   * Get a webhook.
   *
   * The settings of the webhook, since when it fails if it does, and how its last recovery went. A key that has
   * scopes needs `webhooks:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  get(
    webhookId: string,
    options?: CallOptions,
  ): Promise<Answer<Webhook>> {
    return this.transport.send<Webhook>({ method: 'GET', path: `/v1/webhooks/${segment(webhookId)}` }, options);
  }

  /**
   * Change, pause or resume a webhook.
   *
   * Members that are left out stay as they are. `status: disabled` pauses: nothing is sent, pending deliveries
   * wait, and events that happen meanwhile are kept. `status: enabled` sends the pending deliveries. To get the
   * events that happened meanwhile, call `recover` then. A key that has scopes needs `webhooks:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  update(
    webhookId: string,
    body: UpdateWebhook,
    options?: CallOptions,
  ): Promise<Answer<Webhook>> {
    return this.transport.send<Webhook>({ method: 'PATCH', path: `/v1/webhooks/${segment(webhookId)}`, body }, options);
  }

  /**
   * Delete a webhook.
   *
   * Nothing more is sent to it, pending deliveries included. The log of deliveries is deleted too. A key that has
   * scopes needs `webhooks:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  delete(
    webhookId: string,
    options?: CallOptions,
  ): Promise<Answer<DeletedWebhook>> {
    return this.transport.send<DeletedWebhook>({ method: 'DELETE', path: `/v1/webhooks/${segment(webhookId)}` }, options);
  }

  /**
   * Rotate a webhook’s secret.
   *
   * Makes a new signing secret. The new secret signs from now on. The old secret signs too for 24 hours:
   * `webhook-signature` then holds a signature by each, separated by spaces, newest first. While four replaced
   * secrets still sign, a further rotation is a conflict. A key that has scopes needs `webhooks:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  rotateSecret(
    webhookId: string,
    options?: CallOptions,
  ): Promise<Answer<CreatedWebhook>> {
    return this.transport.send<CreatedWebhook>({ method: 'POST', path: `/v1/webhooks/${segment(webhookId)}/rotate-secret` }, options);
  }

  /**
   * Send a test event.
   *
   * Sends a `webhook.test` event with a made-up signal to this webhook alone, whatever `events` and `types` say,
   * also while the webhook is disabled. It is attempted once. A second test within 10 seconds is a conflict;
   * `Retry-After` says when the next test is possible. A key that has scopes needs `webhooks:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  test(
    webhookId: string,
    options?: CallOptions,
  ): Promise<Answer<DeliveryDetail>> {
    return this.transport.send<DeliveryDetail>({ method: 'POST', path: `/v1/webhooks/${segment(webhookId)}/test` }, options);
  }

  /**
   * Recover missed events.
   *
   * Delivers everything that was missed since an instant. Deliveries that failed since then are sent again, with
   * all their retries. Events since then (and since the webhook was made) that match the webhook as it is now and
   * never had a delivery get one. What was delivered is not sent again. A long recovery goes on by itself: see
   * `recovery` of the webhook. The call is a conflict while the webhook is disabled or another recovery is
   * running. A key that has scopes needs `webhooks:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  recover(
    webhookId: string,
    body: RecoverWebhook,
    options?: CallOptions,
  ): Promise<Answer<Recovery>> {
    return this.transport.send<Recovery>({ method: 'POST', path: `/v1/webhooks/${segment(webhookId)}/recover`, body }, options);
  }

  /**
   * Get a webhook’s health.
   *
   * How many of the deliveries of the last 24 hours and of the last 50 attempts succeeded, the last error, and how
   * many deliveries wait, are retried, and have failed. Counted from the log at the moment. A key that has scopes
   * needs `webhooks:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  health(
    webhookId: string,
    options?: CallOptions,
  ): Promise<Answer<WebhookHealth>> {
    return this.transport.send<WebhookHealth>({ method: 'GET', path: `/v1/webhooks/${segment(webhookId)}/health` }, options);
  }

  /**
   * List deliveries.
   *
   * Deliveries to a webhook, newest first. Follow `meta.next_cursor` to read everything. Deliveries are kept for
   * 30 days. A `meta.total` of 10,000 stands for 10,000 or more. A key that has scopes needs `webhooks:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  deliveries(
    webhookId: string,
    query: ListDeliveriesQuery = {},
    options?: CallOptions,
  ): Promise<Page<Delivery, ListMeta>> {
    return this.transport.send<readonly Delivery[], ListMeta>({ method: 'GET', path: `/v1/webhooks/${segment(webhookId)}/deliveries${queryString(query)}` }, options);
  }

  /**
   * Get a delivery.
   *
   * What was sent, byte for byte, and every attempt: of each attempt its headers, the headers and the beginning of
   * what your endpoint answered, and how long each step took. A key that has scopes needs `webhooks:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  delivery(
    webhookId: string,
    deliveryId: string,
    options?: CallOptions,
  ): Promise<Answer<DeliveryDetail>> {
    return this.transport.send<DeliveryDetail>({ method: 'GET', path: `/v1/webhooks/${segment(webhookId)}/deliveries/${segment(deliveryId)}` }, options);
  }

  /**
   * Retry a delivery.
   *
   * One more attempt, at once: the same bytes under the same `webhook-id`. For a delivery that failed or was
   * delivered, no retries follow; what was delivered stays so, whatever the outcome. It is made also while the
   * webhook is disabled. For a delivery that waits for its next attempt, that attempt is made now, and as many
   * retries follow as would have without it. The call is a conflict while an attempt is due or under way, while
   * the delivery waits because the webhook is disabled, and when the event is no longer kept. A key that has
   * scopes needs `webhooks:write`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   * @throws {SigcastError} `CONFLICT`: The request conflicts with the current state.
   */
  retryDelivery(
    webhookId: string,
    deliveryId: string,
    options?: CallOptions,
  ): Promise<Answer<DeliveryDetail>> {
    return this.transport.send<DeliveryDetail>({ method: 'POST', path: `/v1/webhooks/${segment(webhookId)}/deliveries/${segment(deliveryId)}/retry` }, options);
  }
}

/** `sigcast.events`: Events that happened, as a list, as a stream, and as they are sent to your addresses. */
export class Events extends Group {
  /**
   * List events.
   *
   * The events of the last 30 days, oldest first, in one order and without a gap. They have the same ids as in
   * webhooks and streams. Keep `meta.next_cursor` and pass it as `after`: no event is skipped, however many arrive
   * meanwhile. After an outage, pass the id of the last event you have. With a filter, an answer may hold fewer
   * events than `limit`, even none, while `has_more` is true: read on. With `filter`, an answer examines at most
   * 2,000 events. If the events after a cursor are no longer kept, the answer is 400 and names `after`.
   * `order=desc` gives the newest events first. A key that has scopes needs `events:read`.
   */
  list(
    query: ListEventsQuery = {},
    options?: CallOptions,
  ): Promise<Page<FeedEvent, EventListMeta>> {
    return this.transport.send<readonly FeedEvent[], EventListMeta>({ method: 'GET', path: `/v1/events${queryString(query)}` }, options);
  }

  /**
   * Everything that `list` finds, page after page, each entry once. One request for each `limit` entries; default:
   * 100.
   */
  iterate(
    query: ListEventsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<FeedEvent, void, undefined> {
    return this.transport.entries<FeedEvent>(`/v1/events`, { query, cursor: 'after' }, options);
  }

  /**
   * Get an event.
   *
   * The event about a signal with an id that you have: `webhook-id` of a delivery, or `id` of a stream or a list.
   * Events are kept for 30 days. Events about webhooks, and tests, are in the log of deliveries only. A key that
   * has scopes needs `events:read`.
   * @throws {SigcastError} `NOT_FOUND`: The path or the resource does not exist, or belongs to another account.
   */
  get(
    eventId: string,
    options?: CallOptions,
  ): Promise<Answer<FeedEvent>> {
    return this.transport.send<FeedEvent>({ method: 'GET', path: `/v1/events/${segment(eventId)}` }, options);
  }

  /**
   * Test a filter on past events.
   *
   * Counts how many of the newest 1,000 events, of the kinds and types that you name, pass a filter. Nothing is
   * stored or sent. Use it before you give the filter to a webhook. A key that has scopes needs `signals:read`.
   */
  tryFilter(
    body: TryFilter,
    options?: CallOptions,
  ): Promise<Answer<TriedFilter>> {
    return this.transport.send<TriedFilter>({ method: 'POST', path: `/v1/filters/try`, body }, options);
  }
}

/** All groups of calls. */
export class Groups {
  readonly signals: Signals;
  readonly stats: Stats;
  readonly backtests: Backtests;
  readonly webhooks: Webhooks;
  readonly events: Events;

  constructor(transport: Transport) {
    this.signals = new Signals(transport);
    this.stats = new Stats(transport);
    this.backtests = new Backtests(transport);
    this.webhooks = new Webhooks(transport);
    this.events = new Events(transport);
  }
}
