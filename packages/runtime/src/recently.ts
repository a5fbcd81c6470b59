/** Whether something happened within a time span. */
type Recently = {
  /** Records that it happens now. */
  note(): void;
  readonly isRecent: boolean;
};

/** Records when something happened last, and tells whether that was within `withinMs` milliseconds. */
export function recently(withinMs: number, nowMs: () => number = () => performance.now()): Recently {
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    note: () => {
      lastMs = nowMs();
    },
    get isRecent() {
      return nowMs() - lastMs < withinMs;
    },
  };
}
