/** Makes a value at most once in a time, for all who ask. Where that fails, the one of before stays. */
export function keptFor<T>(forMs: number, clock: () => number, make: () => Promise<T>): () => Promise<T> {
  let kept: { readonly untilMs: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (kept !== undefined && clock() < kept.untilMs) return kept.value;
    const before = kept?.value;
    const value = make().catch((error: unknown) => {
      if (before !== undefined) return before;
      kept = undefined;
      throw error;
    });
    kept = { untilMs: clock() + forMs, value };
    return value;
  };
}
