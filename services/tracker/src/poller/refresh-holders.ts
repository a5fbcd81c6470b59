import { isAddress, type LimitedSource, networkOf, type Permits, tokenFacts } from '@sigcast/market';
import { backoffMs, keepLooking, type Logger, type LogThrottle, type Resources } from '@sigcast/runtime';
import type { HoldersStore } from '../store/mongo-holders.ts';

export type RefreshDeps = {
  readonly store: HoldersStore;
  /** A source in GeckoTerminal's format. */
  readonly source: LimitedSource;
  /** The share of its requests that is for holders. */
  readonly permits: Permits;
  readonly log: Logger;
  readonly logThrottle: LogThrottle;
};

/** How long a process has for a token, its wait for a permit of the source included; then another one asks, in milliseconds. */
const leaseMs = 120_000;
const looks = { firstMs: 500, maxMs: 10_000 };
const retryPauses = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Asks about the holders of followed tokens, one after another, until `resources` are released. What it finds goes with the next
 * observation of the token's signals. A token of which the source says nothing is asked about at its next time.
 */
export function startRefreshing(deps: RefreshDeps, resources: Resources): void {
  const { store, source, permits, log, logThrottle } = deps;
  let failures = 0;
  const retry = () => ({ retryMs: backoffMs(++failures, retryPauses) });
  const refreshNext = async (stopping: AbortSignal) => {
    try {
      const waitMs = await permits.take();
      if (waitMs > 0) return { retryMs: waitMs };
      const token = await store.claim(leaseMs);
      if (token === undefined) return undefined;
      const { chain, contract } = token;
      const late = AbortSignal.any([stopping, AbortSignal.timeout(leaseMs / 2)]);
      const path = `/networks/${networkOf(chain)}/tokens/${contract}/info`;
      const answer = isAddress(contract) ? await source.get(path, late) : undefined;
      const isKept = answer === undefined || answer.kind === 'answered' || answer.kind === 'refused';
      // Otherwise the token is due again when its lease ends.
      if (!isKept) return retry();
      const holders = answer?.kind === 'answered' ? tokenFacts(answer.json)?.holders : undefined;
      await store.refreshed(token, holders);
      failures = 0;
      return 0;
    } catch (err) {
      if (!stopping.aborted && logThrottle.isDue('holders'))
        log.warn({ reason: String(err) }, 'holders are not refreshed');
      return retry();
    }
  };
  keepLooking(refreshNext, looks, resources);
}
