/** Work that waits for its turn. */
type Waiting = () => Promise<void>;

/** Runs a caller's work when it is the caller's turn. @returns what the work returns. */
export type FairTurns = <T>(caller: string, work: () => Promise<T>) => Promise<T>;

/**
 * Runs expensive work of several callers: at most `atOnce` pieces together, one at a time for each caller. Waiting callers are
 * served in turn, so whoever waits with many pieces delays another caller by one of them.
 */
export function fairTurns(atOnce: number): FairTurns {
  /** In the order in which callers are served: a Map moves to its end what is deleted and set again. */
  const waiting = new Map<string, Waiting[]>();
  const running = new Set<string>();
  const startWhatFits = (): void => {
    for (const [caller, [next, ...others]] of waiting) {
      if (running.size >= atOnce) return;
      if (running.has(caller) || next === undefined) continue;
      waiting.delete(caller);
      if (others.length > 0) waiting.set(caller, others);
      running.add(caller);
      void next().finally(() => {
        running.delete(caller);
        startWhatFits();
      });
    }
  };
  return (caller, work) =>
    new Promise((resolve, reject) => {
      waiting.set(caller, [...(waiting.get(caller) ?? []), () => work().then(resolve, reject)]);
      startWhatFits();
    });
}
