import { backoffMs, keepLooking, type Logger, type Resources } from '@sigcast/runtime';
import type { AccountNotice, AccountNotices } from '../domain/account-notices.ts';

export type NoticeRelayDeps = {
  readonly notices: AccountNotices;
  /** Resolves when the broker has confirmed the notice. After a rejection the relay publishes the notice again. */
  readonly publish: (notice: AccountNotice) => Promise<void>;
  readonly log: Logger;
};

/** Pauses between two searches for notices, in milliseconds. Well below the second within which a suspension takes effect. */
const pauses = { firstMs: 200, maxMs: 400 };
/** Notices that one search reads and publishes at most. */
const batchSize = 100;

/**
 * Publishes the state of each account at least once after its last change. A notice that is not published stays marked in
 * the store, for this or another process. `waiting` is how many notices the last search could not publish.
 */
export function startNoticeRelay(deps: NoticeRelayDeps, resources: Resources): { readonly waiting: number } {
  const { notices, publish, log } = deps;
  const state = { waiting: 0 };

  const publishAndMark = async (notice: AccountNotice) => {
    await publish(notice);
    await notices.markPublished(notice);
  };
  /** @returns whether there were notices. @throws the error of the first one that could not be published. */
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
    return found.length > 0;
  };

  let failures = 0;
  const look = async () => {
    try {
      const published = await publishWaiting();
      failures = 0;
      return published ? pauses.firstMs : undefined;
    } catch (err) {
      failures += 1;
      if (state.waiting === 0) log.debug({ err }, 'looking for notices of accounts failed');
      return { retryMs: backoffMs(failures, { firstMs: pauses.firstMs, maxMs: 2_000 }) };
    }
  };
  keepLooking(look, pauses, resources);
  return state;
}
