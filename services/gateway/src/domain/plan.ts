/** How many requests an account may make. */
export type Limits = { readonly perMinute: number; readonly perDay: number };

/** How many webhooks an account may have, and how many streams open at once over all gateways. */
export type Quotas = { readonly webhooks: number; readonly streams: number };

/** An account's quotas, and whether its webhooks wait until its holder has verified the e-mail address. */
export type AccountQuotas = Quotas & { readonly unverified: boolean };

export type Plan = { readonly name: string } & Limits & Quotas;

/** The plan every account has unless an operator gives it another one. */
export const standardPlan = {
  name: 'standard',
  perMinute: 60,
  perDay: 10_000,
  webhooks: 20,
  streams: 10,
} as const satisfies Plan;

/**
 * The lowest limits of an account's sessions, all sessions together. Sessions have the same limits as the plan gives the
 * keys, but at least these, so that the dashboard works on a small plan. A page of the dashboard makes at most some 15
 * requests, and a tab that is always in view 5,800 a day.
 */
const leastSessionLimits: Limits = { perMinute: 120, perDay: 10_000 };

/** The limits of an account's sessions, from those of its plan. */
export function sessionLimits({ perMinute, perDay }: Limits): Limits {
  return {
    perMinute: Math.max(perMinute, leastSessionLimits.perMinute),
    perDay: Math.max(perDay, leastSessionLimits.perDay),
  };
}
