import type { MarketMove, MarketSignal } from './script.ts';

/** A producer's side of the ingest API. */
export type Producer = {
  /** Creates a signal and returns its id. With an idempotency key, a repetition creates nothing. */
  create(signal: MarketSignal, idempotencyKey?: string): Promise<string>;
  /** Sends what became of up to 100 signals. */
  observe(moves: readonly (MarketMove & { readonly id: string })[]): Promise<void>;
};

/** A producer that sends to the signals service. Its methods throw the service's message when a request is refused. */
export function producer(signalsUrl: string, token: string): Producer {
  const send = async <T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> => {
    const response = await fetch(`${signalsUrl}/internal/v1/signals${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = (await response.json()) as { data?: T; error?: { message: string } };
    if (!response.ok || !answer.data)
      throw new Error(`POST ${path}: ${response.status} ${answer.error?.message}`);
    return answer.data;
  };
  return {
    create: async (signal, key) => {
      const created = await send<{ id: string }>(
        '',
        signal,
        key === undefined ? {} : { 'idempotency-key': key },
      );
      return created.id;
    },
    observe: async (observations) => {
      const { errors } = await send<{ errors: { message: string }[] }>('/observations', { observations });
      if (errors[0]) throw new Error(`POST /observations: ${errors[0].message}`);
    },
  };
}
