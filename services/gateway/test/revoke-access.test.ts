import { expect, it } from 'vitest';
import { revokeAccess } from '../src/domain/revoke-access.ts';

it('passkeys are removed before sessions end, and keys after that, so that none begins or makes another', async () => {
  const done: string[] = [];
  const stores = {
    passkeys: { removeAll: async () => void done.push('passkeys') },
    sessions: { endAll: async () => void done.push('sessions') },
    keys: {
      revokeAll: async () => {
        done.push('keys');
        return [];
      },
    },
  };
  await revokeAccess(stores, 'acct_1');
  expect(done).toEqual(['passkeys', 'sessions', 'keys']);
});
