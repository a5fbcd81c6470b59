import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';

export type Asked = { readonly status: number; readonly body: unknown };

/** A way to several replicas of a service, as a load balancer is one. */
export type Balancer = AsyncDisposable & {
  /** Asks a replica; another one where no connection can be made. @throws what goes wrong after that. */
  request(
    method: Dispatcher.HttpMethod,
    path: string,
    options: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Asked>;
  /** The address of a replica that is ready. */
  readonly ready: string;
};

/** Between two looks at a replica's `/readyz`. */
const probeEveryMs = 200;

/** Starts asking the replicas whether they are ready; those that are get the requests in turn. */
export function startBalancer(urls: readonly string[]): Balancer {
  const replicas = urls.map((url) => ({ url, pool: new Pool(url, { connections: 64 }), ready: true }));
  const stopping = new AbortController();
  let turn = 0;
  const probe = async (replica: (typeof replicas)[number]) => {
    while (!stopping.signal.aborted) {
      replica.ready = await fetch(`${replica.url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        async (answer) => {
          await answer.body?.cancel();
          return answer.ok;
        },
        () => false,
      );
      await delay(probeEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const probing = replicas.map(probe);
  const inTurn = () => {
    turn += 1;
    const ordered = replicas
      .map((_, i) => replicas[(turn + i) % replicas.length])
      .filter((r) => r !== undefined);
    return [...ordered.filter(({ ready }) => ready), ...ordered.filter(({ ready }) => !ready)];
  };
  return {
    get ready() {
      return inTurn()[0]?.url ?? '';
    },
    request: async (method, path, options) => {
      let refused: unknown;
      for (const replica of inTurn()) {
        try {
          const { statusCode, body } = await replica.pool.request({ method, path, ...options });
          const text = await body.text();
          return { status: statusCode, body: text === '' ? undefined : JSON.parse(text) };
        } catch (error) {
          if ((error as { code?: string }).code !== 'ECONNREFUSED') throw error;
          refused = error;
          replica.ready = false;
        }
      }
      throw refused;
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.all([...probing, ...replicas.map(({ pool }) => pool.destroy())]);
    },
  };
}
