import { expect, it } from '@jest/globals';
import { SharedLock } from '../src/domain/shared-lock.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('runs one task alone when those before it have ended, and those behind it after it', async () => {
  const lock = new SharedLock();
  const began: string[] = [];
  const end = new Map<string, () => void>();
  const task = (name: string) => () => {
    began.push(name);
    return new Promise<void>((resolve) => end.set(name, resolve));
  };
  const all = [
    lock.together(task('a')),
    lock.together(task('b')),
    lock.alone(task('alone')),
    lock.together(task('c')),
    lock.together(task('d')),
  ];
  await settled();
  expect(began).toEqual(['a', 'b']);
  end.get('a')?.();
  await settled();
  expect(began).toEqual(['a', 'b']);
  end.get('b')?.();
  await settled();
  expect(began).toEqual(['a', 'b', 'alone']);
  end.get('alone')?.();
  await settled();
  expect(began).toEqual(['a', 'b', 'alone', 'c', 'd']);
  for (const name of ['c', 'd']) end.get(name)?.();
  await Promise.all(all);
});

it('goes on after a task that failed', async () => {
  const lock = new SharedLock();
  await expect(lock.alone(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(lock.together(() => Promise.resolve(1))).resolves.toBe(1);
});
