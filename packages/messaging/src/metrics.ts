import { isRetryable, priorityOfRoutingKey } from '@sigcast/contracts';
import { timeOfId } from '@sigcast/runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { isRefusedByQueue } from './publisher.ts';

/** How handling a message ended; a `left` message goes back to its queue. */
export type MessageOutcome = 'handled' | 'parked' | 'left';

/** The metrics of connections to the broker. Labels are names of queues and exchanges, which are few. */
export type BrokerMetrics = {
  /** A publication to an exchange or a queue was confirmed, or failed with `error`. */
  published(destination: string, startedAtMs: number, error?: unknown): void;
  /** A queue is consumed from now on. */
  consuming(queue: string): void;
  /** The handling of a message has ended. `startedAtMs` is of `performance.now()`, as above. */
  processed(
    queue: string,
    startedAtMs: number,
    outcome: MessageOutcome,
    message: { readonly id: string; readonly routingKey: string },
  ): void;
  /** A message could not be handled for now, and is tried again. */
  retried(queue: string): void;
  /** A connection that had been made is gone. */
  lost(): void;
};

/** The state of the broker's connections. */
type BrokerState = {
  readonly connected: boolean;
  readonly blocked: boolean;
  /** Queues and exchanges that give or take nothing. */
  readonly failing: number;
};

const none: BrokerMetrics = {
  published: () => undefined,
  consuming: () => undefined,
  processed: () => undefined,
  retried: () => undefined,
  lost: () => undefined,
};

const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const lags = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

/**
 * Rate, errors and duration of publishing and of each consumer, by the names of OpenTelemetry's semantic conventions
 * (messaging metrics) where they have one. Without a registry nothing is measured.
 */
export function brokerMetrics(registry: Registry | undefined, state: () => BrokerState): BrokerMetrics {
  if (registry === undefined) return none;
  const registers = [registry];
  const publications = new Histogram({
    name: 'messaging_client_operation_duration_seconds',
    help: 'From publishing a message to its confirmation by the broker, or to its failure.',
    labelNames: ['messaging_operation_name', 'messaging_destination_name', 'error_type'],
    buckets: durations,
    registers,
  });
  const processing = new Histogram({
    name: 'messaging_process_duration_seconds',
    help: 'From a message being received to the end of dealing with it, by what became of it.',
    labelNames: ['messaging_destination_name', 'outcome'],
    buckets: durations,
    registers,
  });
  const lag = new Histogram({
    name: 'sigcast_consumer_lag_seconds',
    help: 'From an event to the end of dealing with it, by its priority.',
    labelNames: ['messaging_destination_name', 'priority'],
    buckets: lags,
    registers,
  });
  const retries = new Counter({
    name: 'sigcast_consumer_retries_total',
    help: 'Messages that could not be handled for now and were tried again.',
    labelNames: ['messaging_destination_name'],
    registers,
  });
  const losses = new Counter({
    name: 'sigcast_broker_connections_lost_total',
    help: 'Connections to the broker that had been made and are gone.',
    registers,
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('sigcast_broker_connected', '1 while the process publishes to and consumes from the broker.', () =>
    state().connected ? 1 : 0,
  );
  gauge(
    'sigcast_broker_publishing_blocked',
    '1 while the broker, short of memory or disk, takes nothing.',
    () => (state().blocked ? 1 : 0),
  );
  gauge(
    'sigcast_broker_failing_queues',
    'Queues and exchanges that give or take nothing.',
    () => state().failing,
  );
  return {
    published: (destination, startedAtMs, error) => {
      const labels = { messaging_operation_name: 'publish', messaging_destination_name: destination };
      // To Prometheus an empty label is none, as the conventions have it of what worked.
      const error_type = error === undefined ? '' : errorType(error);
      publications.observe({ ...labels, error_type }, (performance.now() - startedAtMs) / 1_000);
    },
    // The counter begins at 0, so that Prometheus sees its first increase.
    consuming: (queue) => retries.inc({ messaging_destination_name: queue }, 0),
    processed: (queue, startedAtMs, outcome, { id, routingKey }) => {
      const labels = { messaging_destination_name: queue };
      processing.observe({ ...labels, outcome }, (performance.now() - startedAtMs) / 1_000);
      const eventAt = outcome === 'handled' ? timeOfId(id) : undefined;
      // The clocks of two machines may differ: a negative lag counts as 0.
      const priority = priorityOfRoutingKey(routingKey);
      if (eventAt !== undefined)
        lag.observe({ ...labels, priority }, Math.max(0, Date.now() - eventAt) / 1_000);
    },
    retried: (queue) => retries.inc({ messaging_destination_name: queue }),
    lost: () => losses.inc(),
  };
}

function errorType(error: unknown): string {
  if (isRefusedByQueue(error)) return 'refused';
  return isRetryable(error) ? 'unavailable' : 'invalid';
}
