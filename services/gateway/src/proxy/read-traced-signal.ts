import type { ListedSignal, SignalHistory, SignalProof } from '@sigcast/contracts';
import type { TracedSignal } from '../domain/traced-signal.ts';
import { ifFound, type PublicAnswer } from './public-answers.ts';

/** Signals that are decided and whose order is sold, the newest one first. */
const newestEnded = `/v1/signals?status=winner,dead,rugged&include=outcome,realizable&limit=1&filter=${encodeURIComponent('{"realizable.exit":{"exists":true}}')}`;

/**
 * Reads the newest signal that is decided and whose order is sold, with its history: the answers that any client gets. Undefined
 * where there is none, or where its history was not recorded.
 * @param tracker undefined where nobody keeps histories.
 */
export function readTracedSignal(
  signals: PublicAnswer,
  tracker: PublicAnswer | undefined,
): () => Promise<TracedSignal | undefined> {
  return async () => {
    const [signal] = await signals<readonly ListedSignal[]>(newestEnded);
    if (signal === undefined || tracker === undefined) return undefined;
    const [history, proof] = await Promise.all([
      ifFound(tracker<SignalHistory>(`/v1/signals/${signal.id}/history`)),
      ifFound(tracker<SignalProof>(`/v1/signals/${signal.id}/proof`)),
    ]);
    return history && { signal, history, entries: proof?.entries.map(({ index }) => index) ?? [] };
  };
}
