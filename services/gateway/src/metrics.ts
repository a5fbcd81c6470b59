import { cachedChildren, HttpMetrics } from '@sigcast/http';
import { Counter, Gauge, type Registry } from 'prom-client';
import { apiRoutes, type UpstreamName } from './domain/api-routes.ts';

/** What became of a request at the door. */
export type AdmissionOutcome = 'admitted' | 'limited' | 'refused' | 'unavailable';

/** What the gateway tells its operators. Every label has few values: never an account, a key or a path. */
export class GatewayMetrics {
  /** Where requests are counted. */
  readonly http: HttpMetrics;
  readonly #upstreamFailures: Counter<'target' | 'code'>;
  readonly #storeFailures: Counter<'store'>;
  #redisInUse: () => boolean = () => false;
  #noticesWaiting: () => number = () => 0;
  readonly #admission: (...labels: string[]) => Counter.Internal;

  constructor(registry: Registry) {
    const registers = [registry];
    this.http = new HttpMetrics(registry);
    for (const { template, methods } of apiRoutes) this.http.expectErrors(template, methods);
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

  /** `inUse`: asked whenever metrics are read. */
  followRedis(inUse: () => boolean): void {
    this.#redisInUse = inUse;
  }

  /** `waiting`: asked whenever metrics are read. */
  followNotices(waiting: () => number): void {
    this.#noticesWaiting = waiting;
  }
}
