/** Whether something has happened within the last so many milliseconds. */
export type Recently = {
  /** It happens now. */
  note(): void;
  readonly isSo: boolean;
};

/** Remembers when something happened last. Before the first time it has not happened. */
export function recently(withinMs: number, nowMs: () => number = () => performance.now()): Recently {
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    note: () => {
      lastMs = nowMs();
    },
    get isSo() {
      return nowMs() - lastMs < withinMs;
    },
  };
}
