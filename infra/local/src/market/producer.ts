import type { MarketMove, MarketSignal } from './script.ts';

/** A producer's side of the ingest API. */
export type Producer = {
  /** Creates a signal and returns its id; the same idempotency key creates it once. */
  create(signal: MarketSignal, idempotencyKey?: string): Promise<string>;
  patch(id: string, move: MarketMove): Promise<void>;
};

/** @throws from its methods when the service does not take what was sent, with the service's own words. */
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
