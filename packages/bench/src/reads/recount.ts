import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { divideRounded, type SignalStatus, type SignalType, type Statistics } from '@sigcast/contracts';
import type { ApiReader } from '../api-reader.ts';
import type { StoreView } from '../store-view.ts';

const pollMs = 50;
/** Figures that have not changed for so long are compared with a recount. */
const stillMs = 3_000;
const timeoutMs = 600_000;

type Figures = Pick<
  Statistics,
  'total_signals' | 'winners' | 'win_rate' | 'avg_roi' | 'best_roi' | 'by_type'
>;

/** One type's and status' facts. */
type Group = {
  readonly _id: { readonly type: SignalType; readonly status: SignalStatus };
  readonly count: number;
  readonly roi: number;
  readonly best: number;
  readonly revisions: number;
};

/**
 * Waits until `/v1/stats` equals a recount over the facts, and the facts have every change of the signals.
 * @returns when the figures were the final ones, as of `performance.now()`.
 */
export async function untilEqual(
  get: ApiReader,
  store: StoreView,
  isLast: (figures: Figures) => boolean,
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { figures, at } = await untilStill(get, isLast);
    const { counted, missing } = await recount(store);
    if (missing === 0 && isDeepStrictEqual(figures, counted)) return at;
    if (performance.now() - startedAt > timeoutMs) {
      const both = `${JSON.stringify(figures)}, not ${JSON.stringify(counted)}; ${missing} changes are missing`;
      throw new Error(`statistics differ from a recount ten minutes after the last write: ${both}`);
    }
  }
}

async function untilStill(get: ApiReader, isLast: (figures: Figures) => boolean) {
  const startedAt = performance.now();
  let last: { figures: Figures; at: number } | undefined;
  for (;;) {
    const { body } = await get('/v1/stats');
    const at = performance.now();
    const { total_signals, winners, win_rate, avg_roi, best_roi, by_type } = body.data as Statistics;
    const figures = { total_signals, winners, win_rate, avg_roi, best_roi, by_type };
    if (last === undefined || !isDeepStrictEqual(last.figures, figures)) last = { figures, at };
    if (isLast(figures) && at - last.at > stillMs) return last;
    if (at - startedAt > timeoutMs) throw new Error('ten minutes after the last write statistics miss it');
    await delay(pollMs);
  }
}

/** Counts all facts in one query, and how many changes of signals are not in them yet. */
async function recount(store: StoreView): Promise<{ counted: Figures; missing: number }> {
  // A fact with its all-time high has a fraction more.
  const revisions = { $sum: { $floor: '$rev' } };
  const [facts, [signals]] = await Promise.all([
    store
      .database('stats')
      .collection('signal_facts')
      .aggregate<Group>([
        {
          $group: {
            _id: { type: '$type', status: '$status' },
            count: { $sum: 1 },
            roi: { $sum: '$roi' },
            best: { $max: '$roi' },
            revisions,
          },
        },
      ])
      .toArray(),
    store
      .database('signals')
      .collection('signals')
      .aggregate<{ revisions: number }>([{ $group: { _id: null, revisions } }])
      .toArray(),
  ]);
  const of = (groups: readonly Group[], figure: 'count' | 'roi' | 'revisions') =>
    groups.reduce((sum, group) => sum + Number(group[figure]), 0);
  const won = (groups: readonly Group[]) => groups.filter(({ _id }) => _id.status === 'winner');
  const rate = (groups: readonly Group[]) => {
    const [total, winners] = [of(groups, 'count'), of(won(groups), 'count')];
    return { total, winners, win_rate: divideRounded(BigInt(winners) * 10_000n, BigInt(total)) / 100 };
  };
  const { total, winners, win_rate } = rate(facts);
  const types = new Set(facts.map(({ _id }) => _id.type));
  const counted = {
    total_signals: total,
    winners,
    win_rate,
    avg_roi: divideRounded(BigInt(of(facts, 'roi')), BigInt(total)) / 100,
    best_roi: Math.max(...facts.map(({ best }) => Number(best))) / 100,
    by_type: Object.fromEntries(
      [...types].map((type) => [type, rate(facts.filter(({ _id }) => _id.type === type))]),
    ),
  };
  return { counted, missing: Number(signals?.revisions) - of(facts, 'revisions') };
}
