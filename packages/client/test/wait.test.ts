import { afterEach, describe, expect, it, vi } from 'vitest';
import { pause } from '../src/wait.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a pause', () => {
  it('ends by itself', async () => {
    await expect(pause(1, new AbortController().signal)).resolves.toBeUndefined();
  });

  it('ends at once with the reason when its signal aborts, before it or during it', async () => {
    const reason = new Error('enough');
    await expect(pause(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const paused = pause(3_600_000, controller.signal);
    controller.abort(reason);
    await expect(paused).rejects.toBe(reason);
  });

  it('leaves no timer behind when it is aborted', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const paused = pause(3_600_000, controller.signal);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    await expect(paused).rejects.toMatchObject({ name: 'AbortError' });
    expect(vi.getTimerCount()).toBe(0);
  });
});
