import { SigcastError } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { useCode } from '../src/routes/account/second-factor.ts';

/** The entries that are withdrawn when what a recovery code was used for fails. */
async function withdrawnWhere(giveBack: () => Promise<boolean>): Promise<string[]> {
  const withdrawn: string[] = [];
  const deps = {
    throttle: {},
    secondFactors: { use: async () => ({ recovery: { left: 9, giveBack } }) },
    audit: { add: async () => 'aud_1', withdraw: async (id: string) => void withdrawn.push(id) },
    tellHolder: async () => undefined,
  } as unknown as Parameters<typeof useCode>[0];
  const by = { account: 'acct_1', actor: { kind: 'system' } } as const;
  const right = await useCode(deps, by, 'a code', []);
  const failing = Promise.reject(new SigcastError('SERVICE_UNAVAILABLE', 'no'));
  await expect(right?.allow(failing)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  return withdrawn;
}

it('the entry of a recovery code is withdrawn only where the code was given back', async () => {
  expect(await withdrawnWhere(async () => true)).toEqual(['aud_1']);
  expect(await withdrawnWhere(async () => false)).toEqual([]);
});
