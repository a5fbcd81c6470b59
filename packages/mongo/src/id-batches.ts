/** Values in one `$in`: for more than some 100 the development engine's planner reads the whole index. */
export const valuesPerCommand = 100;

/** Splits values into batches that one command may name. */
export function* idBatches<T>(values: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < values.length; from += valuesPerCommand) {
    yield values.slice(from, from + valuesPerCommand);
  }
}
