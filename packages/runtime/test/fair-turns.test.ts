import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { fairTurns } from '../src/fair-turns.ts';

/** Work that ends when the test says so, with the order in which pieces began. */
function pieces(atOnce: number) {
  const run = fairTurns(atOnce);
  const begun: string[] = [];
  const end = new Map<string, () => void>();
  return {
    begun,
    add: (name: string) =>
      run(name.charAt(0), () => {
        begun.push(name);
        return new Promise<void>((resolve) => end.set(name, resolve));
      }),
    finish: async (name: string) => {
      end.get(name)?.();
      await setImmediate();
    },
  };
}

it('a caller’s work runs one piece at a time, and others’ beside it up to the bound', async () => {
  const { begun, add, finish } = pieces(2);
  for (const name of ['a1', 'a2', 'b1', 'c1']) void add(name);
  expect(begun).toEqual(['a1', 'b1']);
  await finish('b1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await finish('a1');
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
});

it('a caller with much work delays another caller by one piece', async () => {
  const { begun, add, finish } = pieces(1);
  for (const name of ['a1', 'a2', 'a3', 'b1']) void add(name);
  for (const name of ['a1', 'a2', 'b1']) await finish(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('a piece that fails says so to its caller, and the next one runs', async () => {
  const run = fairTurns(1);
  const failed = run('a', () => Promise.reject(new Error('no')));
  await expect(Promise.allSettled([failed, run('a', async () => 1)])).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled', value: 1 },
  ]);
});
