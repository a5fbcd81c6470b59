import { silentLogger } from '@sigcast/runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { AccountNotice } from '../src/domain/account-notices.ts';
import { startNoticeRelay } from '../src/relay/notice-relay.ts';

it('notices are looked for more rarely while there are none, and soon again after some were published', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const resources = new AsyncDisposableStack();
  const startedAt = performance.now();
  const looks: number[] = [];
  let found: AccountNotice[] = [];
  const waiting = async () => {
    looks.push(performance.now() - startedAt);
    return found.splice(0);
  };
  const notices = { waiting, markPublished: async () => {} };
  startNoticeRelay({ notices, publish: async () => {}, log: silentLogger() }, resources);
  await vi.advanceTimersByTimeAsync(1_100);
  found = [{ account: 'acct_1', rev: 1, status: 'active', unverified: false, accessRevokedAt: null }];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toEqual([0, 200, 600, 1_000, 1_400, 1_600, 1_800]);
  await resources.disposeAsync();
});
