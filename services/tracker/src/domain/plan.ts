/** A stage of the plan: signals up to this age are asked about this often. */
type Stage = { readonly upToMs: number; readonly everyMs: number };

/** How often the market of a signal is asked, by the age of the signal; youngest stage first. */
export type Plan = readonly Stage[];

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const form = 'must be stages such as 1h:1m,1d:5m,30d:1h: up to which age, and how often (s, m, h or d)';

/**
 * Reads a plan such as `1h:1m,1d:5m,30d:1h`: every minute up to the age of an hour, then every five minutes up to a day,
 * then every hour up to 30 days. After the last age a signal is not followed any more.
 * @throws {Error} that says what is wrong.
 */
export function parsePlan(text: string): Plan {
  const plan = text.split(',').map((stage) => {
    const [, age, ageUnit, every, everyUnit] =
      /^([1-9]\d{0,5})([smhd]):([1-9]\d{0,5})([smhd])$/.exec(stage.trim()) ?? [];
    if (age === undefined || every === undefined) throw new Error(form);
    return {
      upToMs: Number(age) * (unitMs[ageUnit ?? ''] ?? 0),
      everyMs: Number(every) * (unitMs[everyUnit ?? ''] ?? 0),
    };
  });
  for (const [at, { upToMs }] of plan.entries()) {
    if (upToMs <= (plan[at - 1]?.upToMs ?? 0)) throw new Error('must have its stages in order of age');
  }
  return plan;
}

/**
 * When a signal's market is asked next.
 * @returns Unix milliseconds; undefined when the signal is past the plan's last age by then.
 */
export function nextDue(plan: Plan, createdAtMs: number, observedAtMs: number): number | undefined {
  const stage = plan.find(({ upToMs }) => observedAtMs - createdAtMs < upToMs);
  const dueMs = observedAtMs + (stage?.everyMs ?? 0);
  return stage !== undefined && isFollowed(plan, createdAtMs, dueMs) ? dueMs : undefined;
}

/** Whether a signal is within the plan at this time. */
export function isFollowed(plan: Plan, createdAtMs: number, atMs: number): boolean {
  return atMs - createdAtMs < (plan.at(-1)?.upToMs ?? 0);
}
