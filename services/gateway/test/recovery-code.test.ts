import { SigcastError, unavailable } from '@sigcast/contracts';
import { expect, it, vi } from 'vitest';
import { useCode } from '../src/routes/account/second-factor.ts';

it('a recovery code is given back after a fault of ours, and stays used after a refusal, of which its holder was told', async () => {
  const giveBack = vi.fn(async () => true);
  const withdraw = vi.fn();
  const deps = {
    throttle: { charge: async () => {}, refund: async () => {} },
    secondFactors: { use: async () => ({ recovery: { left: 9, giveBack } }) },
    audit: { add: async () => 'aud_1', withdraw },
    tellHolder: async () => {},
  };
  const by = { account: 'acct_1', actor: { kind: 'holder', id: 'acct_1' } } as const;
  const fail = async (error: Error) => {
    const right = await useCode(deps as never, by, 'any');
    await expect(right?.allow(Promise.reject(error))).rejects.toBe(error);
  };
  await fail(new SigcastError('CONFLICT', 'no'));
  expect(giveBack).not.toHaveBeenCalled();
  await fail(unavailable('The store'));
  expect(giveBack).toHaveBeenCalledOnce();
  expect(withdraw).toHaveBeenCalledExactlyOnceWith('aud_1');
});
