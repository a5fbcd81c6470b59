import type { MarketMove, MarketSignal } from './script.ts';

/** A producer's side of the ingest API. */
export type Producer = {
  /** Creates a signal and returns its id. With an idempotency key, a repetition creates nothing. */
  create(signal: MarketSignal, idempotencyKey?: string): Promise<string>;
  patch(id: string, move: MarketMove): Promise<void>;
};

/** A producer that sends to the signals service. Its methods throw the service's message when a request is refused. */
export function producer(signalsUrl: string, token: string): Producer {
  const send = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${signalsUrl}/internal/v1/signals${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = (await response.json()) as { data?: { id: string }; error?: { message: string } };
    if (!response.ok || !answer.data)
      throw new Error(`${method} ${path}: ${response.status} ${answer.error?.message}`);
    return answer.data.id;
  };
  return {
    create: (signal, key) => send('POST', '', signal, key === undefined ? {} : { 'idempotency-key': key }),
    patch: async (id, move) => {
      await send('PATCH', `/${id}`, move);
    },
  };
}
