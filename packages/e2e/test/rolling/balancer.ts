import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';

/** An answer of a replica. */
export type Asked = { readonly status: number; readonly body: unknown };

/** A load balancer in front of the replicas of a service. */
export type Balancer = AsyncDisposable & {
  /** Sends a request to a replica, and to another one when no connection can be made. @throws any later error. */
  request(
    method: Dispatcher.HttpMethod,
    path: string,
    options: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Asked>;
  /** The address of a replica that is ready. */
  readonly ready: string;
};

/** The pause between two probes of a replica's `/readyz`. */
const probeEveryMs = 200;

/** Starts probing the replicas. The ready ones get the requests in turn. */
export function startBalancer(
  addresses: readonly { readonly url: string; readonly readyUrl: string }[],
): Balancer {
  const replicas = addresses.map(({ url, readyUrl }) => ({
    url,
    readyUrl,
    pool: new Pool(url, { connections: 64 }),
    ready: true,
  }));
  const stopping = new AbortController();
  let turn = 0;
  const probe = async (replica: (typeof replicas)[number]) => {
    while (!stopping.signal.aborted) {
      replica.ready = await fetch(replica.readyUrl, { signal: AbortSignal.timeout(2_000) }).then(
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
