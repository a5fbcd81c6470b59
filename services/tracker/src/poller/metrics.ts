import { addGauges } from '@sigcast/http';
import type { SourceAnswer } from '@sigcast/market';
import type { Decision } from '@sigcast/outcomes';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Refusal } from '../domain/sending.ts';

/** Outcomes of requests to the market. */
const outcomes = [
  'answered',
  'refused',
  'rate_limited',
  'bad_status',
  'timeout',
  'no_answer',
  'unreadable',
  'stale',
] as const satisfies readonly SourceAnswer['kind'][];
/** What the answers said of a signal. `second`: the figures are the second source's. */
export const answerKinds = ['market', 'second', 'absent', 'unusable', 'doubted'] as const;
export type AnswerKind = (typeof answerKinds)[number];
const results = ['applied', 'unchanged', 'conflict', 'invalid', 'not_found', 'later'] as const;
const statuses = ['winner', 'dead', 'rugged'] as const satisfies readonly Decision['status'][];

/** In seconds: from a schedule that is kept to the half second up to a market that was away for a day. */
const stalenessBuckets = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400];

const dueGauge = {
  name: 'sigcast_tracker_signals_due',
  help: 'Signals that are due and that no poller works on, over all pollers; 20000 stands for more, too.',
};

/** Adds the gauge of signals that are due and that no poller works on. `due` counts them when the metrics are scraped. */
export function addDueGauge(registry: Registry, due: () => Promise<number>): void {
  addGauges(registry, [dueGauge], async () => [await due()]);
}

/** The poller's metrics. Each label has few values: never a signal. */
export class PollerMetrics {
  readonly #requests: Counter<'outcome'>;
  readonly #secondRequests: Counter<'outcome'>;
  readonly #observed: Counter<'kind'>;
  readonly #sent: Counter<'result'>;
  readonly #decisions: Counter<'status'>;
  readonly #staleness: Histogram;

  /** @param due counts the signals that are due and that no poller works on. Called when the metrics are scraped. */
  constructor(registry: Registry, due: () => Promise<number>) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'sigcast_tracker_market_requests_total',
      help: 'Requests to the market.',
      labelNames: ['outcome'],
      registers,
    });
    this.#secondRequests = new Counter({
      name: 'sigcast_tracker_second_source_requests_total',
      help: 'Requests to the second source, about markets and about holders.',
      labelNames: ['outcome'],
      registers,
    });
    this.#observed = new Counter({
      name: 'sigcast_tracker_answers_total',
      help: 'Signals that the market answered about: with a market, that of the second source, without one, with figures of no use or doubted ones.',
      labelNames: ['kind'],
      registers,
    });
    this.#sent = new Counter({
      name: 'sigcast_tracker_observations_total',
      help: 'Observations sent to the signals service, by what it did with them.',
      labelNames: ['result'],
      registers,
    });
    this.#decisions = new Counter({
      name: 'sigcast_tracker_decisions_total',
      help: 'Statuses that the rules decided, as often as they were sent and not refused.',
      labelNames: ['status'],
      registers,
    });
    this.#staleness = new Histogram({
      name: 'sigcast_tracker_staleness_seconds',
      help: 'From when a signal was due to when its market was observed.',
      buckets: stalenessBuckets,
      registers,
    });
    // From the beginning, because Prometheus does not count the event with which a series appears.
    for (const outcome of outcomes)
      for (const requests of [this.#requests, this.#secondRequests]) requests.inc({ outcome }, 0);
    for (const kind of answerKinds) this.#observed.inc({ kind }, 0);
    for (const result of results) this.#sent.inc({ result }, 0);
    for (const status of statuses) this.#decisions.inc({ status }, 0);
    addDueGauge(registry, due);
  }

  asked(outcome: SourceAnswer['kind']): void {
    this.#requests.inc({ outcome });
  }

  askedSecond(outcome: SourceAnswer['kind']): void {
    this.#secondRequests.inc({ outcome });
  }

  /** Signals of one kind of answer, and how long after being due each was observed, in milliseconds. */
  observed(kind: AnswerKind, lateMs: readonly number[]): void {
    this.#observed.inc({ kind }, lateMs.length);
    if (kind !== 'unusable' && kind !== 'doubted')
      for (const ms of lateMs) this.#staleness.observe(Math.max(0, ms) / 1_000);
  }

  sent(result: 'applied' | 'unchanged' | 'later' | Refusal, count: number): void {
    this.#sent.inc({ result }, count);
  }

  decided(status: (typeof statuses)[number]): void {
    this.#decisions.inc({ status });
  }
}
