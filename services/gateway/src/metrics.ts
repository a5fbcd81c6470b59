import { cachedChildren, HttpMetrics } from '@sigcast/http';
import { Counter, Gauge, type Registry } from 'prom-client';
import { apiRoutes, type UpstreamName } from './domain/api-routes.ts';
import type { MailOutcome } from './domain/mail/sending.ts';

/** The outcome of admission. */
export type AdmissionOutcome = 'admitted' | 'limited' | 'refused' | 'unavailable';

const mailOutcomes = [
  'sent',
  'unwanted',
  'limited',
  'refused',
  'late',
  'failed',
  'deferred',
  'unreachable',
] as const satisfies readonly MailOutcome[];

/** The gateway's metrics. Every label has few values: never an account, a key or a path. */
export class GatewayMetrics {
  /** Rate, errors and durations of requests. */
  readonly http: HttpMetrics;
  readonly #upstreamFailures: Counter<'target' | 'code'>;
  readonly #storeFailures: Counter<'store'>;
  readonly #mails: Counter<'outcome'>;
  readonly #requestsDropped: Counter;
  #requestsInMemory: () => number = () => 0;
  #redisInUse: () => boolean = () => false;
  #noticesWaiting: () => number = () => 0;
  readonly #admission: (...labels: string[]) => Counter.Internal;

  constructor(registry: Registry) {
    const registers = [registry];
    this.http = new HttpMetrics(registry);
    for (const { template, methods } of apiRoutes) this.http.expectErrors(template, methods);
    const admissions = new Counter({
      name: 'sigcast_gateway_admissions_total',
      help: 'Decisions whether a request is admitted, by outcome and where it was counted (shared: Redis, local: this process).',
      labelNames: ['outcome', 'counted'],
      registers,
    });
    this.#upstreamFailures = new Counter({
      name: 'sigcast_gateway_upstream_failures_total',
      help: 'Requests that a service did not answer, answered too late, or answered with an invalid answer.',
      labelNames: ['target', 'code'],
      registers,
    });
    this.#storeFailures = new Counter({
      name: 'sigcast_gateway_store_failures_total',
      help: 'Look-ups of keys (mongodb) and decisions about requests (redis) that failed or timed out.',
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
      help: 'Accounts whose suspension, resumption or deletion could not be published to the webhooks service yet; 100 at most.',
      registers,
      collect() {
        this.set(noticesWaiting());
      },
    });
    this.#requestsDropped = new Counter({
      name: 'sigcast_gateway_request_log_dropped_total',
      help: 'Requests that the log of their account lacks: they came too fast, too many were refused, or the store was away for long.',
      registers,
    });
    const requestsInMemory = () => this.#requestsInMemory();
    new Gauge({
      name: 'sigcast_gateway_request_log_buffered',
      help: 'Requests that are not written to the log of their account yet; 10,000 at most.',
      registers,
      collect() {
        this.set(requestsInMemory());
      },
    });
    this.#mails = new Counter({
      name: 'sigcast_gateway_mails_total',
      help: 'Tries to send mails by outcome. After deferred and unreachable the mail is tried again; the others end it.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of mailOutcomes) this.#mails.inc({ outcome }, 0);
    for (const store of ['redis', 'mongodb'] as const) this.#storeFailures.inc({ store }, 0);
    this.#admission = cachedChildren((...labels) => admissions.labels(...labels));
  }

  admission(outcome: AdmissionOutcome, degraded: boolean): void {
    this.#admission(outcome, degraded ? 'local' : 'shared').inc();
  }

  upstreamFailure(target: UpstreamName, code: string): void {
    this.#upstreamFailures.inc({ target, code });
  }

  storeFailure(store: 'redis' | 'mongodb'): void {
    this.#storeFailures.inc({ store });
  }

  readonly mail = (outcome: MailOutcome): void => this.#mails.inc({ outcome });

  requestDropped(): void {
    this.#requestsDropped.inc();
  }

  /** `inMemory`: called at each scrape. */
  followRequests(inMemory: () => number): void {
    this.#requestsInMemory = inMemory;
  }

  /** `inUse`: called at each scrape. */
  followRedis(inUse: () => boolean): void {
    this.#redisInUse = inUse;
  }

  /** `waiting`: called at each scrape. */
  followNotices(waiting: () => number): void {
    this.#noticesWaiting = waiting;
  }
}
