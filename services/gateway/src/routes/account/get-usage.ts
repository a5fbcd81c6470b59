import type { UsageFigures as FiguresView, UsagePart as PartView, UsageView } from '@sigcast/contracts';
import { midnightAfter } from '../../domain/usage.ts';
import { type UsageDay, type UsageFigures, type UsagePart, usageLetters } from '../../domain/usage-days.ts';
import { planOf } from './answer-session.ts';
import type { AccountHandlers } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** Of more days, keys and paths are shown without their hours: the answer would have megabytes. */
const maxHourlyDays = 7;

/** `GET /account/usage` */
export function getUsage(deps: AccountDeps): AccountHandlers['getUsage'] {
  return async ({ query: { days, by }, caller: { account } }) => {
    const [stored, counted, plan] = await Promise.all([
      deps.usage.read(account.id, days, by),
      deps.usage.usedToday(account.id),
      planOf(deps, account),
    ]);
    const used = counted ?? sum(stored.at(-1)?.hours ?? []).requests;

    const view: UsageView = {
      limits: { requests_per_minute: plan.requests_per_minute, requests_per_day: plan.requests_per_day },
      today: {
        used,
        remaining: Math.max(0, plan.requests_per_day - used),
        resets_at: new Date(midnightAfter(deps.clock())).toISOString(),
      },
      days: dayViews(stored).map((day, at) => ({
        ...day,
        ...(by !== undefined && {
          parts: stored[at]?.parts.map((part) => partView(part, days <= maxHourlyDays)) ?? [],
        }),
      })),
    };
    return { data: view };
  };
}

/** Days as the account's holder sees them. */
export function dayViews(days: readonly UsageDay[]): UsageView['days'] {
  return days.map(({ date, hours }) => ({ date, ...sum(hours), hours: hours.map(figures) }));
}

function partView({ name, latency, hours }: UsagePart, withHours: boolean): PartView {
  const byHour = hours.map(({ hour, ...used }) => ({ hour, ...figures(used) }));
  return { name, ...sum(hours), latency: [...latency], ...(withHours && { hours: byHour }) };
}

function figures({ r, f, c, s }: UsageFigures): FiguresView {
  return { requests: r, refused: f, client_errors: c, server_errors: s };
}

function sum(hours: readonly UsageFigures[]): FiguresView {
  const total = { r: 0, f: 0, c: 0, s: 0 };
  for (const hour of hours) {
    for (const letter of usageLetters) total[letter] += hour[letter];
  }
  return figures(total);
}
