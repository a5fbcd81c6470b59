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

/** What clients and a producer do to a system, and what came of it. */
export type Load = {
  /** Requests made, by method. */
  readonly made: Readonly<Record<string, number>>;
  /** Requests that failed, and why. */
  readonly failed: readonly string[];
  /** Signals that the service said it has. */
  readonly signals: readonly string[];
  /** Makes no more requests, and resolves when all have come to an end. */
  stop(): Promise<void>;
};

/** Starts reading, changing and producing. Nothing is tried again but by the balancers. */
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
    () => `/v1/signals/${created.at(-1) ?? ''}`,
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

  /** Begins `work` so often a second, however long it takes. */
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
