import { type OperationOf, signalIdSchema, toListItem } from '@sigcast/contracts';
import { identityOf, listMeta, type OperationHandlers } from '@sigcast/http';
import { fairTurns } from '@sigcast/runtime';
import { getHistory, historyNotFound } from '../domain/history.ts';
import {
  getPastSignal,
  getPastStatistics,
  listPastSignals,
  type PastStore,
  requireRecorded,
  toDetail,
} from '../domain/past.ts';
import type { HistoryStore } from '../domain/ports.ts';
import { whileWanted } from './while-wanted.ts';

/** Statistics that a process counts at once. Each takes a dozen of the 50 connections to the store. */
const countedAtOnce = 2;

/**
 * Answers the history of signals, and what was known of them at an instant (`as_of`). An id of a wrong form is 404, as any
 * unknown id. A process counts the statistics of an account one after another, as each may read thousands of observations.
 */
export function signalHandlers({
  history: store,
  past,
  now,
}: {
  readonly history: HistoryStore;
  readonly past: PastStore;
  readonly now: () => Date;
}) {
  const inTurn = fairTurns(countedAtOnce);
  return {
    getSignalHistory: async ({ path: { signal_id: id }, query, res }) => {
      if (!signalIdSchema.safeParse(id).success) throw historyNotFound(id);
      const data = await whileWanted(res, (gone) => getHistory(store, { id, query, now: now() }, gone));
      if (data === undefined) return undefined;
      // The tag leaves out `until`, so that an unchanged history keeps its tag while time goes on.
      const { until: _until, ...tagged } = data;
      return { data, tagged };
    },
    listSignals: async ({ query }) => {
      requireRecorded(query.as_of, now());
      const page = await listPastSignals(past, query);
      const data = page.entries.flatMap(({ signal }) => (signal ? toListItem(toDetail(signal)) : []));
      return { data, meta: listMeta(page) };
    },
    getSignal: async ({ path: { signal_id: id }, query: { as_of: asOf } }) => {
      requireRecorded(asOf, now());
      if (!signalIdSchema.safeParse(id).success) throw historyNotFound(id, asOf);
      return { data: await getPastSignal(past, id, asOf) };
    },
    getStatistics: async ({ query, req, res }) => {
      requireRecorded(query.as_of, now());
      const account = identityOf(req).subject;
      const data = await whileWanted(res, (gone) =>
        inTurn(account, () => getPastStatistics(past, query, gone)),
      );
      return data && { data };
    },
  } satisfies Partial<OperationHandlers<OperationOf<'tracker'>>>;
}
