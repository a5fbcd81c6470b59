import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { newSignal } from '../system.ts';
import type { Asked, Balancer } from './balancer.ts';

export type LoadPlan = {
  readonly getsPerSecond: number;
  readonly patchesPerSecond: number;
  readonly eventsPerSecond: number;
};

export type LoadOptions = LoadPlan & {
  readonly gateways: Balancer;
  readonly signals: Balancer;
  readonly apiKey: string;
  readonly ingestToken: string;
  /** The subscription that is patched. */
  readonly webhook: string;
};

/** The requests of clients and a producer, and how they ended. */
export type Load = {
  /** Requests made, by method. */
  readonly made: Readonly<Record<string, number>>;
  /** Requests that failed, and why. */
  readonly failed: readonly string[];
  /** The signals whose creation the service has confirmed. */
  readonly signals: readonly string[];
  /** Starts no more requests. Resolves when all have ended. */
  stop(): Promise<void>;
};

/** Starts reading, changing and producing, without retries besides those of the balancers. */
export function startLoad(options: LoadOptions): Load {
  const { gateways, signals, apiKey, ingestToken, webhook } = options;
  const made: Record<string, number> = {};
  const failed: string[] = [];
  const created: string[] = [];
  const stopping = new AbortController();
  const json = { 'content-type': 'application/json' };
  const client = { authorization: `Bearer ${apiKey}` };

  const ask = async (
    to: Balancer,
    method: Dispatcher.HttpMethod,
    path: string,
    request: Parameters<Balancer['request']>[2],
  ): Promise<Asked | undefined> => {
    made[method] = (made[method] ?? 0) + 1;
    try {
      const asked = await to.request(method, path, request);
      if (asked.status < 300) return asked;
      failed.push(
        `${new Date().toISOString()} ${method} ${path}: ${asked.status} ${JSON.stringify(asked.body)}`,
      );
    } catch (error) {
      failed.push(`${new Date().toISOString()} ${method} ${path}: ${String(error)}`);
    }
    return undefined;
  };
  const reads = [
    () => '/v1/signals?limit=5',
    () => (created.length === 0 ? '/v1/signals' : `/v1/signals/${created.at(-1)}`),
    () => '/v1/stats',
    () => '/v1/webhooks',
    () => '/v1/events?limit=5',
  ];
  const read = (n: number) =>
    ask(gateways, 'GET', (reads[n % reads.length] ?? (() => '/v1/stats'))(), { headers: client });
  const change = (n: number) =>
    ask(gateways, 'PATCH', `/v1/webhooks/${webhook}`, {
      headers: { ...client, ...json },
      body: JSON.stringify({ description: `change ${n}` }),
    });
  const create = async () => {
    const answer = await ask(signals, 'POST', '/internal/v1/signals', {
      headers: { authorization: `Bearer ${ingestToken}`, ...json },
      body: JSON.stringify(newSignal()),
    });
    if (answer) created.push((answer.body as { data: { id: string } }).data.id);
  };

  /** Begins `work` this many times a second, however long each takes. */
  const often = async (perSecond: number, work: (n: number) => Promise<unknown>) => {
    const underWay = new Set<Promise<unknown>>();
    const startedAt = performance.now();
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      const one = work(n).finally(() => underWay.delete(one));
      underWay.add(one);
      await delay(Math.max(0, startedAt + ((n + 1) * 1_000) / perSecond - performance.now()));
    }
    await Promise.all(underWay);
  };
  const running = Promise.all([
    often(options.eventsPerSecond, create),
    often(options.getsPerSecond, read),
    often(options.patchesPerSecond, change),
  ]);
  return {
    made,
    failed,
    signals: created,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
