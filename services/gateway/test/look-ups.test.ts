import { expect, it } from 'vitest';
import { LookUps } from '../src/store/look-ups.ts';

it('while MongoDB hangs, one request in half a second waits for it and the others are refused at once', async () => {
  let nowMs = 0;
  const lookUps = new LookUps({ timeoutMs: 20, nowMs: () => nowMs });
  let asked = 0;
  const expectRefusal = async () => {
    const hanging = lookUps.ask(() => {
      asked += 1;
      return new Promise<never>(() => undefined);
    });
    await expect(hanging).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  };
  await expectRefusal();
  nowMs = 499;
  await expectRefusal();
  expect(asked).toBe(1);
  nowMs = 500;
  await Promise.all([expectRefusal(), expectRefusal()]);
  expect(asked).toBe(2);
  nowMs = 1_000;
  expect(await lookUps.ask(() => Promise.resolve('back'))).toBe('back');
  expect(await Promise.all([1, 2].map((n) => lookUps.ask(() => Promise.resolve(n))))).toEqual([1, 2]);
});
