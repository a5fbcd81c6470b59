import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { healthRefresh } from '../src/routes/webhooks/health-refresh.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const ask = vi.fn();
  const refresh = healthRefresh(ask);
  return { ask, refresh, saw: (query: string, answer?: object) => refresh.saw({ query, answer }) };
}

describe('the health beside a log', () => {
  it('is requested again when the answer to the same query changes', () => {
    const { ask, saw } = watched();
    const same = {};
    saw('');
    saw('', same);
    saw('', same);
    expect(ask).not.toHaveBeenCalled();
    saw('', {});
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('is not requested again when another part of the log is shown', () => {
    const { ask, saw } = watched();
    saw('', {});
    saw('status=failed');
    saw('status=failed', {});
    saw('', {});
    expect(ask).not.toHaveBeenCalled();
  });

  it('is requested at most every 15 s, and after the last change', () => {
    const { ask, saw } = watched();
    saw('', {});
    for (let second = 0; second < 15; second += 1) {
      saw('', {});
      vi.advanceTimersByTime(999);
    }
    expect(ask).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(15);
    expect(ask).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(60_000);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('is not requested any more once the log is closed', () => {
    const { ask, refresh, saw } = watched();
    for (let at = 0; at < 3; at += 1) saw('', {});
    refresh.stop();
    vi.advanceTimersByTime(60_000);
    expect(ask).toHaveBeenCalledTimes(1);
  });
});
