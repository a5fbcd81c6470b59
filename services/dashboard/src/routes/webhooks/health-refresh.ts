/** The shortest time between two requests for the health, because each counts against the account's limit. */
const everyMs = 15_000;

/** The part of a log that is shown. */
export type ShownLog = {
  /** The query for this part of the log. */
  readonly query: string;
  /** The answer; the same object as long as nothing in it changes. Undefined before the first answer. */
  readonly answer: unknown;
};

/** Watches a log for changes. */
export type HealthRefresh = { saw(log: ShownLog): void; stop(): void };

/**
 * Calls `ask` when the answer to the same query has changed: at once, but not within 15 s after the last call. The first answer
 * to another query is no change.
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
