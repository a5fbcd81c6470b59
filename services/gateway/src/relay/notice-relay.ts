import type { AccountStatus } from '@sigcast/contracts';
import { backoffMs, keepDoing, type Logger, type Resources } from '@sigcast/runtime';

/** How an account stands; the greatest `rev` holds. */
export type AccountState = {
  readonly account: string;
  readonly rev: number;
  readonly status: AccountStatus;
};

/** Accounts that others have to be told of. */
export type AccountNotices = {
  /** At most `limit` of those that others have not been told of, as they stand. */
  waiting(limit: number): Promise<readonly AccountState[]>;
  /** Others have been told. A change that came meanwhile goes on waiting. Of a deleted account, removes all that belonged to it. */
  told(state: AccountState): Promise<void>;
};

export type NoticeRelayDeps = {
  readonly notices: AccountNotices;
  /** Resolves when the broker has it, rejects when it does not: then it is told again. */
  readonly publish: (state: AccountState) => Promise<void>;
  readonly log: Logger;
};

/** How long a notice waits before a gateway looks, at most, in milliseconds. */
const everyMs = 200;
/** Notices read and published in one go. */
const batch = 100;

/**
 * Publishes how accounts stand, each at least once after its last change, in whatever process: what is not told stays
 * marked in the store. `waiting` is how many the last look found that could not be told.
 */
export function startNoticeRelay(deps: NoticeRelayDeps, resources: Resources): { readonly waiting: number } {
  const { notices, publish, log } = deps;
  const state = { waiting: 0 };

  const tell = async (one: AccountState) => {
    await publish(one);
    await notices.told(one);
  };
  /** @throws what the first of those that could not be told failed with. */
  const look = async () => {
    const found = await notices.waiting(batch);
    const results = await Promise.allSettled(found.map(tell));
    const failed = results.filter((result) => result.status === 'rejected');
    if (failed[0]) {
      if (state.waiting === 0) log.warn({ err: failed[0].reason as unknown }, 'notices of accounts wait');
      state.waiting = failed.length;
      throw failed[0].reason;
    }
    if (state.waiting > 0) log.info('no notice of an account waits any more');
    state.waiting = 0;
  };

  let failures = 0;
  keepDoing(async () => {
    try {
      await look();
      failures = 0;
    } catch (err) {
      failures += 1;
      if (state.waiting === 0) log.debug({ err }, 'looking for notices of accounts failed');
    }
    return failures === 0 ? everyMs : backoffMs(failures, { firstMs: everyMs, maxMs: 2_000 });
  }, resources);
  return state;
}
