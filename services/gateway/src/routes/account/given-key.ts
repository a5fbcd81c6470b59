import { type ChangeApiKey, invalidRequest } from '@sigcast/contracts';
import type { KeyLimits } from '../../domain/api-key.ts';
import { normalNetwork } from '../../domain/networks.ts';
import { dayMs } from '../../domain/usage.ts';
import { planOf } from './answer-session.ts';
import type { Caller } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** Days of a key for which nothing is said. */
const usualDays = 365;
/** The longest that a key with an expiry can be valid: two years, of which one may be a leap year. */
const maxDays = 731;

/**
 * When a new key expires; null for never.
 * @throws {SigcastError} INVALID_REQUEST for an instant that is past or too far ahead.
 */
export function expiryOf(
  {
    expires_in_days: days,
    expires_at: at,
  }: { expires_in_days?: number | null | undefined; expires_at?: string | undefined },
  nowMs: number,
): Date | null {
  if (at === undefined) {
    return days === null ? null : new Date(nowMs + (days ?? usualDays) * dayMs);
  }
  const expiresAt = new Date(at);
  if (expiresAt.getTime() > nowMs && expiresAt.getTime() <= nowMs + maxDays * dayMs) return expiresAt;
  throw invalidRequest([{ field: 'expires_at', message: 'must be ahead, by two years at most' }]);
}

type GivenLimits = Pick<ChangeApiKey, 'scopes' | 'networks' | 'requests_per_minute'>;

/**
 * The limits of a key that a body gives; absent ones are absent.
 * @throws {SigcastError} INVALID_REQUEST for a network that is none, or a limit that is not below the account's.
 */
export async function limitsFrom(
  deps: AccountDeps,
  { account }: Caller,
  { scopes, networks, requests_per_minute: perMinute }: GivenLimits,
): Promise<Partial<KeyLimits>> {
  if (typeof perMinute === 'number') {
    const plan = await planOf(deps, account);
    if (perMinute >= plan.requests_per_minute) {
      const message = `must be below the ${plan.requests_per_minute} of the account, or null`;
      throw invalidRequest([{ field: 'requests_per_minute', message }]);
    }
  }
  return {
    ...(scopes !== undefined && { scopes }),
    ...(networks !== undefined && { networks: networks && normalNetworks(networks) }),
    ...(perMinute !== undefined && { perMinute }),
  };
}

function normalNetworks(texts: readonly string[]): string[] {
  const networks = texts.map((text, index) => {
    const network = normalNetwork(text);
    if (network !== undefined) return network;
    const message = 'must be a network such as 203.0.113.0/24 or 2001:db8::/32';
    throw invalidRequest([{ field: `networks.${index}`, message }]);
  });
  return [...new Set(networks)];
}
