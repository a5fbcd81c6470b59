import { vi } from 'vitest';
import { MongoSessions } from '../src/store/sessions.ts';

/**
 * Lets something happen right after a session was looked at for the second time: the look that follows a request's body.
 * @returns how often sessions were looked at, and the end of it.
 */
export function atSecondLook(act: () => Promise<unknown>) {
  const { isOpen } = MongoSessions.prototype;
  let looks = 0;
  const spy = vi.spyOn(MongoSessions.prototype, 'isOpen').mockImplementation(async function (
    this: MongoSessions,
    ...args
  ) {
    const open = await isOpen.apply(this, args);
    looks += 1;
    if (looks === 2) await act();
    return open;
  });
  return {
    end: (): number => {
      spy.mockRestore();
      return looks;
    },
  };
}
