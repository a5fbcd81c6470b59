/** A stage of the schedule: signals up to this age are asked about this often. */
type Stage = { readonly upToMs: number; readonly everyMs: number };

/** How often the market of a signal is asked, by the age of the signal; youngest stage first. */
export type Schedule = readonly Stage[];

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const form = 'must be stages such as 1h:1m,1d:5m,30d:1h: up to which age, and how often (s, m, h or d)';

/**
 * Reads a schedule such as `1h:1m,1d:5m,30d:1h`: every minute up to the age of an hour, then every five minutes up to a day,
 * then every hour up to 30 days. After the last age a signal is not followed any more.
 * @throws {Error} that says what is wrong.
 */
export function parseSchedule(text: string): Schedule {
  const schedule = text.split(',').map((stage) => {
    const [, age, ageUnit, every, everyUnit] =
      /^([1-9]\d{0,5})([smhd]):([1-9]\d{0,5})([smhd])$/.exec(stage.trim()) ?? [];
    if (age === undefined || every === undefined) throw new Error(form);
    return {
      upToMs: Number(age) * (unitMs[ageUnit ?? ''] ?? 0),
      everyMs: Number(every) * (unitMs[everyUnit ?? ''] ?? 0),
    };
  });
  for (const [at, { upToMs }] of schedule.entries()) {
    if (upToMs <= (schedule[at - 1]?.upToMs ?? 0)) throw new Error('must have its stages in order of age');
  }
  return schedule;
}

/**
 * When a signal's market is asked next.
 * @returns Unix milliseconds; undefined when the signal is past the schedule's last age by then.
 */
export function nextDue(schedule: Schedule, createdAtMs: number, observedAtMs: number): number | undefined {
  const stage = schedule.find(({ upToMs }) => observedAtMs - createdAtMs < upToMs);
  const dueMs = observedAtMs + (stage?.everyMs ?? 0);
  return stage !== undefined && isFollowed(schedule, createdAtMs, dueMs) ? dueMs : undefined;
}

/** Whether a signal is within the schedule at this time. */
export function isFollowed(schedule: Schedule, createdAtMs: number, atMs: number): boolean {
  return atMs - createdAtMs < (schedule.at(-1)?.upToMs ?? 0);
}
