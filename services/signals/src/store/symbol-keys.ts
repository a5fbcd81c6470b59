import { indexNames, type SignalModel } from './signal-document.ts';

/** Whether every signal can be found by its symbol. */
export type SymbolKeys = { areComplete(): Promise<boolean> };

/**
 * Signals of versions that knew no `symbol_key` get it from the migration `symbol-keys`. Until none is without, each question
 * is one index seek; then it is known.
 */
export function symbolKeys(model: SignalModel): SymbolKeys {
  let areComplete = false;
  return {
    areComplete: async () => {
      // An index holds documents without the field as null.
      areComplete ||=
        (await model.findOne({ symbol_key: null }, { _id: 1 }).hint(indexNames.symbol).lean()) === null;
      return areComplete;
    },
  };
}
