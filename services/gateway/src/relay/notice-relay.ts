import type { AccountStatus } from '@sigcast/contracts';
import { backoffMs, keepDoing, type Logger, type Resources } from '@sigcast/runtime';

/** The status of an account. Of two states, the one with the greater `rev` holds. */
export type AccountState = {
  readonly account: string;
  readonly rev: number;
  readonly status: AccountStatus;
};

/** Accounts whose status the other services do not know yet. */
export type AccountNotices = {
  /** The current states of at most `limit` accounts whose notice is not published yet. */
  waiting(limit: number): Promise<readonly AccountState[]>;
  /**
   * Notes that this state is published. A newer state of the account goes on waiting. Removes the keys, sessions and
   * usage of a deleted account.
   */
  markPublished(state: AccountState): Promise<void>;
};

export type NoticeRelayDeps = {
  readonly notices: AccountNotices;
  /** Resolves when the broker has confirmed the state. After a rejection the relay publishes the state again. */
  readonly publish: (state: AccountState) => Promise<void>;
  readonly log: Logger;
};

/** Pause between two looks for notices, in milliseconds. */
const everyMs = 200;
/** Notices that one look reads and publishes at most. */
const batchSize = 100;

/**
 * Publishes the status of each account at least once after its last change. A notice that is not published stays marked in
 * the store, for this or another process. `waiting` is how many notices the last look could not publish.
 */
export function startNoticeRelay(deps: NoticeRelayDeps, resources: Resources): { readonly waiting: number } {
  const { notices, publish, log } = deps;
  const state = { waiting: 0 };

  const publishAndMark = async (one: AccountState) => {
    await publish(one);
    await notices.markPublished(one);
  };
  /** @throws the error of the first notice that could not be published. */
  const publishWaiting = async () => {
    const found = await notices.waiting(batchSize);
    const results = await Promise.allSettled(found.map(publishAndMark));
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
      await publishWaiting();
      failures = 0;
    } catch (err) {
      failures += 1;
      if (state.waiting === 0) log.debug({ err }, 'looking for notices of accounts failed');
    }
    return failures === 0 ? everyMs : backoffMs(failures, { firstMs: everyMs, maxMs: 2_000 });
  }, resources);
  return state;
}
