import { receivedRevisionSchema, receivedRevisionsPageSchema } from '@sigcast/contracts';
import { signalsReader } from '@sigcast/operator';
import { factOf, factSourceSchema, type SignalFact } from '../domain/fact.ts';
import type { SignalSource } from '../domain/fact-ledger.ts';

/** The fields that are read of one signal, and of a page of signals. */
export const factRevisionSchema = receivedRevisionSchema.extend({ signal: factSourceSchema });
export const factRevisionsPageSchema = receivedRevisionsPageSchema.extend({
  data: factRevisionSchema.array(),
});

/** The signals, read from the signals service's internal API. Methods throw `CommandFailed`. */
export function signalsApi(access: { readonly url: string; readonly token: string }): SignalSource {
  const read = signalsReader(access);
  return {
    page: async (after) => {
      const body = await read(after === undefined ? '' : `?after=${after}`);
      const { data, meta } = factRevisionsPageSchema.parse(body);
      return { signals: data.map(toFact), nextAfter: meta.next_after };
    },
    find: async (id) => {
      const body = await read(`/${id}`);
      return body === undefined
        ? undefined
        : toFact(factRevisionSchema.parse((body as { data: unknown }).data));
    },
  };
}

function toFact({ signal, ...revision }: ReturnType<typeof factRevisionSchema.parse>): SignalFact {
  return factOf({ ...revision, data: signal });
}
