import { indexNames, type SignalModel } from './signal-document.ts';

/** Whether every signal has its `symbol_key`, so that it can be found by its symbol. */
type SymbolKeys = { areComplete(): Promise<boolean> };

/**
 * Signals of earlier versions get `symbol_key` from the migration `symbol-keys`. Until all have it, each call costs an
 * index seek; then the answer is cached.
 */
export function symbolKeys(model: SignalModel): SymbolKeys {
  let areComplete = false;
  return {
    areComplete: async () => {
      // The index holds documents without the field as null.
      areComplete ||=
        (await model.findOne({ symbol_key: null }, { _id: 1 }).hint(indexNames.symbol).lean()) === null;
      return areComplete;
    },
  };
}
