const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The age from which observations are thinned. */
const keptInFullMs = 30 * dayMs;

/** When the observations of an instant's day (UTC) are thinned: 30 days after the day's end. */
export function thinningTime(at: Date): Date {
  return new Date((Math.floor(at.getTime() / dayMs) + 1) * dayMs + keptInFullMs);
}

/** Observations before this instant are thinned: the start of the day (UTC) 30 days ago. */
export function thinnedBefore(now: Date): Date {
  return new Date(Math.floor((now.getTime() - keptInFullMs) / dayMs) * dayMs);
}

/** What thinning has to know of an observation. */
export type ThinnableObservation = {
  readonly id: string;
  readonly at: Date;
  /** US dollars. */
  readonly mcap: number;
  /** The highest market cap up to this observation, as the signals service says, in US dollars. */
  readonly mcapAth: number;
  /** When the observation was recorded first. */
  readonly knownAt: Date;
  /** Whether the signal got a status by this observation, as it does by its first one. */
  readonly changesStatus: boolean;
};

/**
 * Finds the observations of one signal that thinning removes: all but the last of each hour (UTC), the first of all, those
 * that change the status, those that a decision rests on, those that raise the all-time high, and those that made an all-time
 * high known first. (Where events came in another order, an all-time high was known before the observation that raised it.)
 *
 * So for every instant an observation is left that has the all-time high of that instant. What is kept does not depend on
 * what was removed before.
 */
export class Thinning {
  #high: number;
  #isFirst = true;
  /** The all-time high as the signals service says, and when an observation that is kept made it known. */
  #knownHigh = { mcap: 0, knownMs: Number.POSITIVE_INFINITY };
  /** The last observation of each hour so far, by the hour; undefined where something else keeps that observation. */
  readonly #lastOfHour = new Map<number, string | undefined>();
  /** When the observations were made that decisions rest on, Unix milliseconds. */
  readonly #evidence: ReadonlySet<number>;

  /**
   * @param mcapEntry the market cap when the signal was created, US dollars.
   * @param evidence when the observations were made that decisions about the signal rest on.
   */
  constructor(mcapEntry: number, evidence: readonly Date[]) {
    this.#high = mcapEntry;
    this.#evidence = new Set(evidence.map((at) => at.getTime()));
  }

  /**
   * Takes the next observation in order of revisions.
   * @returns the id of an earlier observation that is certain to be removed now; undefined where there is none.
   */
  next({ id, at, mcap, mcapAth, knownAt, changesStatus }: ThinnableObservation): string | undefined {
    const hour = Math.floor(at.getTime() / hourMs);
    const before = this.#lastOfHour.get(hour);
    const knownMs = knownAt.getTime();
    const { mcap: highest, knownMs: firstKnownMs } = this.#knownHigh;
    const isKnownFirst = mcapAth > highest || (mcapAth === highest && knownMs < firstKnownMs);
    if (isKnownFirst) this.#knownHigh = { mcap: mcapAth, knownMs };
    const isKept =
      this.#isFirst || changesStatus || isKnownFirst || mcap > this.#high || this.#evidence.has(at.getTime());
    this.#lastOfHour.set(hour, isKept ? undefined : id);
    this.#isFirst = false;
    this.#high = Math.max(this.#high, mcap);
    return before;
  }
}
