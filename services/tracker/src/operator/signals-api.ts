import { receivedRevisionSchema, receivedRevisionsPageSchema } from '@sigcast/contracts';
import { signalsReader } from '@sigcast/operator';
import type { SignalSource } from '../domain/backfill.ts';
import { presentRevision, trackedSignalSchema } from '../domain/revision.ts';

/** The fields that are read of a page of signals. */
export const trackedPageSchema = receivedRevisionsPageSchema.extend({
  data: receivedRevisionSchema.omit({ realizable: true }).extend({ signal: trackedSignalSchema }).array(),
});

/** The signals, read from the signals service's internal API. Methods throw `CommandFailed`. */
export function signalsApi(access: { readonly url: string; readonly token: string }): SignalSource {
  const read = signalsReader(access);
  return {
    page: async (after) => {
      const { data, meta } = trackedPageSchema.parse(
        await read(after === undefined ? '' : `?after=${after}`),
      );
      return { states: data.map(presentRevision), nextAfter: meta.next_after };
    },
  };
}
