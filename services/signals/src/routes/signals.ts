import { type OperationOf, type ShownSignal, signalIdSchema, toListItem } from '@sigcast/contracts';
import { listMeta, type OperationHandlers } from '@sigcast/http';
import { signalNotFound } from '../domain/decide-change.ts';
import { listSignals } from '../domain/list-signals.ts';
import type { SignalStore } from '../domain/ports.ts';
import { type Signal, toDetail, toOutcome } from '../domain/signal.ts';

/** Answers the public operations of signals. An id of a wrong form is 404, as any unknown id. */
export function signalHandlers(store: SignalStore): OperationHandlers<OperationOf<'signals'>> {
  return {
    listSignals: async ({ query }) => {
      const page = await listSignals(store, query);
      const data = page.entries.map((signal) => ({
        ...toListItem(toDetail(signal)),
        ...onRequest(signal, query.include),
      }));
      return { data, meta: listMeta(page) };
    },
    getSignal: async ({ path: { signal_id: id }, query }) => {
      const stored = signalIdSchema.safeParse(id).success ? await store.find(id) : undefined;
      if (!stored) throw signalNotFound(id);
      return { data: { ...toDetail(stored.signal), ...onRequest(stored.signal, query.include) } };
    },
  };
}

/** The members of a signal that are shown where `include` asks for them. */
function onRequest(
  signal: Signal,
  include: readonly string[] | undefined,
): Pick<ShownSignal, 'outcome' | 'origin' | 'realizable'> {
  return {
    ...(include?.includes('outcome') && { outcome: toOutcome(signal) }),
    ...(include?.includes('origin') && { origin: signal.origin ?? null }),
    ...(include?.includes('realizable') && { realizable: signal.realizable ?? null }),
  };
}
