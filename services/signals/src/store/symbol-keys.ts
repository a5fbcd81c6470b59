import { storeCall } from '@sigcast/mongo';
import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import { indexNames, type SignalModel, symbolKey } from './signal-document.ts';

/** Signals written in one command. */
const batch = 500;

/** When to look for signals without a key, in milliseconds. */
export type Looks = {
  /** After a full batch: leaves room for other work of the store. */
  readonly betweenBatchesMs: number;
  /** While an upgrade is likely to go on, which is for `youngMs` after the start. */
  readonly everyMs: number;
  readonly youngMs: number;
  /** Later on, once all have a key: for as long as the process lives. */
  readonly laterEveryMs: number;
};

const usualLooks: Looks = {
  betweenBatchesMs: 50,
  everyMs: 1_000,
  youngMs: 15 * 60_000,
  laterEveryMs: 10_000,
};

/** Whether every signal can be found by its symbol. */
export type SymbolKeys = { readonly areComplete: boolean };

/**
 * Gives the signals of an older version their `symbol_key`, in the background. Processes of that version may write at any
 * time (a canary, a replica that went back), so the look for such signals never stops: one index seek that mostly finds
 * nothing. Several processes may look at once.
 */
export function startSymbolKeys(
  model: SignalModel,
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
  looks: Looks = usualLooks,
): SymbolKeys {
  const keys = { areComplete: false };
  const youngUntil = performance.now() + looks.youngMs;
  let isFailing = false;
  keepDoing(async () => {
    try {
      const areComplete = await storeCall(() => fillSymbolKeys(model));
      isFailing = false;
      if (!areComplete) return looks.betweenBatchesMs;
      keys.areComplete = true;
    } catch (err) {
      // Its index may take long to build: said once, not at every look.
      if (!isFailing) log.warn({ err }, 'signals of an older version cannot be found by symbol yet');
      isFailing = true;
    }
    return performance.now() < youngUntil || !keys.areComplete ? looks.everyMs : looks.laterEveryMs;
  }, resources);
  return keys;
}

/** Does so for some. @returns false when there may be more. */
export async function fillSymbolKeys(model: SignalModel): Promise<boolean> {
  // An index holds documents without the field as null.
  const old = await model
    .find({ symbol_key: null }, { 'token.symbol': 1 })
    .hint(indexNames.symbol)
    .limit(batch)
    .lean<{ _id: string; token: { symbol: string } }[]>();
  if (old.length === 0) return true;
  await model.bulkWrite(
    old.map(({ _id, token }) => ({
      updateOne: { filter: { _id }, update: { $set: { symbol_key: symbolKey(token.symbol) } } },
    })),
    { ordered: false },
  );
  return old.length < batch;
}
