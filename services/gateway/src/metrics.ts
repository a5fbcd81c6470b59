import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { UpstreamName } from './domain/api-routes.ts';

/** What became of a request at the door. */
export type AdmissionOutcome = 'admitted' | 'limited' | 'refused' | 'unavailable';

/** Names of what requests lead to; `none` is what was refused before it led anywhere. */
export type Target = UpstreamName | 'none';

/** What the gateway tells its operators. Every label has few values: never an account, a key or a path. */
export class GatewayMetrics {
  readonly #upstreamFailures: Counter<'target' | 'code'>;
  readonly #storeFailures: Counter<'store'>;
  #redisInUse: () => boolean = () => false;
  #noticesWaiting: () => number = () => 0;
  readonly #admission: (...labels: string[]) => Counter.Internal;
  readonly #answer: (...labels: string[]) => Counter.Internal;
  readonly #duration: (...labels: string[]) => Histogram.Internal<'target'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const answers = new Counter({
      name: 'sigcast_gateway_answers_total',
      help: 'Answers to requests under /v1, by the service asked and HTTP status (499: the client went away).',
      labelNames: ['target', 'status'],
      registers,
    });
    const durations = new Histogram({
      name: 'sigcast_gateway_answer_duration_seconds',
      help: 'From a request under /v1 being read to its answer being handed to the socket.',
      labelNames: ['target'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    const admissions = new Counter({
      name: 'sigcast_gateway_admissions_total',
      help: 'Decisions at the door, by outcome and where they were counted (shared: Redis, local: in this process).',
      labelNames: ['outcome', 'counted'],
      registers,
    });
    this.#upstreamFailures = new Counter({
      name: 'sigcast_gateway_upstream_failures_total',
      help: 'Requests a service did not answer, answered too late, or answered with something broken.',
      labelNames: ['target', 'code'],
      registers,
    });
    this.#storeFailures = new Counter({
      name: 'sigcast_gateway_store_failures_total',
      help: 'Look-ups of keys (mongodb) and decisions about requests (redis) that failed or were given up.',
      labelNames: ['store'],
      registers,
    });
    const redisInUse = () => this.#redisInUse();
    new Gauge({
      name: 'sigcast_gateway_redis_in_use',
      help: '1 while limits are counted in Redis, 0 while in this process.',
      registers,
      collect() {
        this.set(redisInUse() ? 1 : 0);
      },
    });
    const noticesWaiting = () => this.#noticesWaiting();
    new Gauge({
      name: 'sigcast_gateway_account_notices_waiting',
      help: 'Accounts that were suspended, resumed or deleted, and whose webhooks could not be told of it yet; 100 at most.',
      registers,
      collect() {
        this.set(noticesWaiting());
      },
    });
    for (const store of ['redis', 'mongodb'] as const) this.#storeFailures.inc({ store }, 0);
    this.#admission = remembered((...labels) => admissions.labels(...labels));
    this.#answer = remembered((...labels) => answers.labels(...labels));
    this.#duration = remembered((...labels) => durations.labels(...labels));
  }

  admission(outcome: AdmissionOutcome, degraded: boolean): void {
    this.#admission(outcome, degraded ? 'local' : 'shared').inc();
  }

  answer(target: Target, status: number, durationMs: number): void {
    this.#answer(target, String(status)).inc();
    this.#duration(target).observe(durationMs / 1000);
  }

  upstreamFailure(target: Target, code: string): void {
    this.#upstreamFailures.inc({ target, code });
  }

  storeFailure(store: 'redis' | 'mongodb'): void {
    this.#storeFailures.inc({ store });
  }

  /** `inUse`: asked whenever metrics are read. */
  followRedis(inUse: () => boolean): void {
    this.#redisInUse = inUse;
  }

  /** `waiting`: asked whenever metrics are read. */
  followNotices(waiting: () => number): void {
    this.#noticesWaiting = waiting;
  }
}

/** A metric's child for each combination of labels, found without hashing them anew; there are few. */
function remembered<Child>(make: (...labels: string[]) => Child): (...labels: string[]) => Child {
  const children = new Map<string, Child>();
  return (...labels) => {
    const name = labels.length === 1 ? (labels[0] ?? '') : labels.join(' ');
    const known = children.get(name);
    if (known !== undefined) return known;
    const child = make(...labels);
    children.set(name, child);
    return child;
  };
}
