/** The figures of usage, by the letter under which each is stored: requests, refused, client errors, server errors. */
export const usageLetters = ['r', 'f', 'c', 's'] as const;

export type UsageLetter = (typeof usageLetters)[number];

/** What an account used in an hour. */
export type UsageFigures = Readonly<Record<UsageLetter, number>>;

/** What an account used on a day (UTC, such as `2026-11-21`), in each of its 24 hours. */
export type UsageDay = { readonly date: string; readonly hours: readonly UsageFigures[] };
