import { expect, it, onTestFinished, vi } from 'vitest';
import { loadFile } from '../src/load-file.ts';

declare global {
  const location: { reload(): void };
}

it('files that fail at once make the page load again once, and none of them shows an error before it does', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const items = new Map<string, string>();
  const reload = vi.fn();
  vi.stubGlobal('location', { reload });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
  });
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()));
  const over: unknown[] = [];
  const missing = () => Promise.reject(new Error('Unable to preload CSS'));
  for (const load of [missing, missing]) loadFile(load).catch((error: unknown) => over.push(error));
  await vi.waitFor(() => expect(reload).toHaveBeenCalled());
  await new Promise(setImmediate);
  expect([reload.mock.calls.length, over]).toEqual([1, []]);
});
