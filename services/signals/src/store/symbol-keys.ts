import { storeCall } from '@sigcast/mongo';
import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import { indexNames, type SignalModel, symbolKey } from './signal-document.ts';

/** Signals written in one command. */
const batch = 500;
/** Between two looks for signals that a process of an older version has written, in milliseconds. */
const lookEveryMs = 1_000;
/** Processes of an older version may run beside this one for so long, in milliseconds. */
const besideMs = 15 * 60_000;

/** Whether every signal can be found by its symbol. */
export type SymbolKeys = { readonly areComplete: boolean };

/**
 * Gives the signals of an older version their `symbol_key`, in the background; looks again while processes of that version
 * may run side by side, for 15 minutes. Several processes may do so at once.
 */
export function startSymbolKeys(
  model: SignalModel,
  { log, resources }: { readonly log: Logger; readonly resources: Resources },
): SymbolKeys {
  const keys = { areComplete: false };
  const besideUntil = performance.now() + besideMs;
  keepDoing(async () => {
    try {
      if (!(await storeCall(() => fillSymbolKeys(model)))) return 0;
      keys.areComplete = true;
    } catch (err) {
      log.warn({ err }, 'signals of an older version can not be found by symbol yet');
    }
    return performance.now() < besideUntil || !keys.areComplete ? lookEveryMs : undefined;
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
