import { receivedRevisionSchema, receivedRevisionsPageSchema } from '@sigcast/contracts';
import { CommandFailed } from '@sigcast/operator';
import { backoffMs, pause } from '@sigcast/runtime';
import { type FactSource, factOf, factSourceSchema, type SignalFact } from '../domain/fact.ts';
import type { SignalSource } from '../domain/fact-ledger.ts';

/** The fields that are read of one signal, and of a page of signals. */
export const factRevisionSchema = receivedRevisionSchema.extend({ signal: factSourceSchema });
export const factRevisionsPageSchema = receivedRevisionsPageSchema.extend({
  data: factRevisionSchema.array(),
});

const timeoutMs = 30_000;

/** Enough tries to outlast a restart of the signals service, which takes a few seconds. */
const maxTries = 6;

/** The signals, read from the signals service's internal API. Methods throw {@link CommandFailed}. */
export function signalsApi({ url, token }: { readonly url: string; readonly token: string }): SignalSource {
  const get = async (path: string): Promise<{ status: number; body: unknown }> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await tryOnce(`${url}/internal/v1/signals${path}`, token);
      if (answer.status < 500 && answer.status !== 429) return answer;
      if (attempt === maxTries) throw new CommandFailed('signals_unavailable', answer.problem);
      await pause(backoffMs(attempt, { firstMs: 200, maxMs: 5_000 }));
    }
  };
  return {
    page: async (after) => {
      const { status, body } = await get(after === undefined ? '' : `?after=${after}`);
      if (status !== 200) throw refused(url, status);
      const { data, meta } = factRevisionsPageSchema.parse(body);
      return { signals: data.map(toFact), nextAfter: meta.next_after };
    },
    find: async (id) => {
      const { status, body } = await get(`/${id}`);
      if (status === 404) return undefined;
      if (status !== 200) throw refused(url, status);
      return toFact(factRevisionSchema.parse((body as { data: unknown }).data));
    },
  };
}

async function tryOnce(
  address: string,
  token: string,
): Promise<{ status: number; body: unknown; problem: string }> {
  try {
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await response.json();
    return { status: response.status, body, problem: `${address} answers ${response.status}` };
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return { status: 503, body: undefined, problem: `${address} can't be read: ${reason}` };
  }
}

function refused(url: string, status: number): CommandFailed {
  const hint = status === 401 || status === 403 ? '; SIGNALS_TOKEN needs the scope signals:read' : '';
  return new CommandFailed('signals_refused', `${url} answers ${status}${hint}`);
}

function toFact({ rev, signal }: { readonly rev: number; readonly signal: FactSource }): SignalFact {
  return factOf({ rev, data: signal });
}
