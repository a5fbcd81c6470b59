/** The figures of usage, by the letter under which each is stored: requests, refused, client errors, server errors. */
export const usageLetters = ['r', 'f', 'c', 's'] as const;

export type UsageLetter = (typeof usageLetters)[number];

/** What an account used in an hour. */
export type UsageFigures = Readonly<Record<UsageLetter, number>>;

/** What usage is broken down by. */
export type UsageBy = 'key' | 'route';

/** Which key a request had, and which path; undefined for a path that the API does not have. */
export type UsedBy = {
  readonly key: string;
  readonly route: string | undefined;
  /** How long the answer took; undefined for a stream, which lasts as long as its client listens. */
  readonly latencyMs?: number | undefined;
};

/** The name of what has none, and of the keys beyond those that are told apart. */
export const otherUsage = 'other';

/** What one key or path used on a day, in those hours in which it used anything. */
export type UsagePart = {
  readonly name: string;
  /** How many admitted requests are in each class of latency; see `latencyBoundsMs`. */
  readonly latency: readonly number[];
  readonly hours: readonly (UsageFigures & { readonly hour: number })[];
};

/** What an account used on a day (UTC, such as `2026-11-21`), in each of its 24 hours. */
export type UsageDay = {
  readonly date: string;
  readonly hours: readonly UsageFigures[];
  /** Empty where nothing is broken down. */
  readonly parts: readonly UsagePart[];
};
