import type { ErrorDetail, NewSignal } from '@sigcast/contracts';
import { clockToleranceMs, earliest, hasExactRoi, type Signal } from './signal.ts';

/** No token is older than the first blockchain. An earlier time is a mistake, such as seconds read as milliseconds. */
const earliestCreation = Date.parse('2009-01-01T00:00:00Z');

/** A new signal, or why the producer's input is refused. */
type Creation =
  | { readonly kind: 'created'; readonly signal: Signal }
  | { readonly kind: 'rejected'; readonly details: readonly ErrorDetail[] };

/**
 * Makes a signal at revision 1. The same input, time and id make the same signal, so that the first answer to an
 * idempotent request can be given again.
 *
 * A `created_at` ahead of `now`, within the clock tolerance, counts as `now`. A given `mcap_current` counts as observed
 * at `now`, even if the signal is backdated. Without it the entry is the only observation, made at `created_at`.
 */
export function createSignal(
  input: NewSignal,
  context: { readonly now: Date; readonly newId: (createdAtMs: number) => string },
): Creation {
  const { now } = context;
  const details = problems(input, now);
  if (details.length > 0) return { kind: 'rejected', details };

  const createdAt = earliest(input.created_at ?? now, now);
  const { mcap_entry, mcap_current: observed, ...figures } = input.metrics;
  const mcap_current = observed ?? mcap_entry;
  return {
    kind: 'created',
    signal: {
      id: context.newId(createdAt.getTime()),
      rev: 1,
      token: input.token,
      metrics: {
        mcap_entry,
        mcap_current,
        ...figures,
        mcap_ath: Math.max(mcap_entry, mcap_current),
      },
      status: 'active',
      type: input.type,
      isPremium: input.is_premium,
      createdAt,
      observedAt: observed === undefined ? createdAt : now,
      athAt: mcap_current > mcap_entry ? now : createdAt,
      updatedAt: now,
      // In UTC, so that times as texts are in their order.
      ...(input.origin && {
        origin: { ...input.origin, observed_at: new Date(input.origin.observed_at).toISOString() },
      }),
    },
  };
}

function problems({ created_at, metrics }: NewSignal, now: Date): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  if (created_at !== undefined && created_at.getTime() > now.getTime() + clockToleranceMs) {
    found.push({ field: 'created_at', message: 'must not be in the future' });
  }
  if (created_at !== undefined && created_at.getTime() < earliestCreation) {
    found.push({ field: 'created_at', message: 'must not be before 2009' });
  }
  if (!hasExactRoi(metrics.mcap_entry, metrics.mcap_current ?? metrics.mcap_entry)) {
    found.push({ field: 'metrics.mcap_current', message: 'is too many times mcap_entry' });
  }
  return found;
}
