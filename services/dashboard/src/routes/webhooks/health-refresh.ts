/** Health costs a request of the account: a log that changes all the time asks for it this often. */
const everyMs = 15_000;

/** What is shown of a log. */
export type ShownLog = {
  /** Which part of the log was asked for. */
  readonly query: string;
  /** The answer; the same object as long as nothing in it changes. Undefined before the first. */
  readonly answer: unknown;
};

/** Watches a log for changes. */
export type HealthRefresh = { saw(log: ShownLog): void; stop(): void };

/**
 * Calls `ask` when the answer to the same query has changed: at once, or 15 s after the last call. Another query's
 * answer is no change.
 */
export function healthRefresh(ask: () => void): HealthRefresh {
  let before: ShownLog | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let changed = false;
  const askNow = () => {
    changed = false;
    pause = setTimeout(() => {
      pause = undefined;
      if (changed) askNow();
    }, everyMs);
    ask();
  };
  return {
    saw(log) {
      if (log.answer === undefined) return;
      const isChange = before?.query === log.query && before.answer !== log.answer;
      before = log;
      if (!isChange) return;
      if (pause === undefined) askNow();
      else changed = true;
    },
    stop: () => clearTimeout(pause),
  };
}
