import { isInserted, storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import { usedChallengeMs } from '../domain/passkey-challenges.ts';
import { maxPasskeys, type Passkey, type Passkeys } from '../domain/passkeys.ts';
import { type Models, type PasskeyDocument, passkeyIndexNames } from './models.ts';

/** Passkeys in MongoDB. Public keys alone are stored, so a copy of the store lets nobody in. */
export function mongoPasskeys(
  { passkeys, usedChallenges }: Pick<Models, 'passkeys' | 'usedChallenges'>,
  clock: () => number,
): Passkeys {
  const list = (account: string) =>
    storeCall(() => passkeys.find({ account }).hint(passkeyIndexNames.slots).lean());
  const find = async (credential_id: string) => {
    const found = await storeCall(() => passkeys.findOne({ credential_id }).lean());
    return found === null ? undefined : toPasskey(found);
  };
  return {
    find,

    list: async (account) => {
      const found = await list(account);
      return found.map(toPasskey).sort((a, b) => (a.id < b.id ? 1 : -1));
    },

    add: async (account, name, credential) => {
      for (;;) {
        const taken = new Set((await list(account)).map(({ slot }) => slot));
        const slot = Array.from({ length: maxPasskeys }, (_, at) => at).find((at) => !taken.has(at));
        if (slot === undefined) return 'full';
        const document: PasskeyDocument = {
          _id: newId('pky', clock()),
          account,
          slot,
          name,
          credential_id: credential.credentialId,
          public_key: Buffer.from(credential.publicKey).toString('base64url'),
          counter: credential.counter,
          transports: [...credential.transports],
          created_at: new Date(clock()),
          last_used_at: null,
        };
        if (await isInserted(() => storeCall(() => passkeys.create(document)))) return toPasskey(document);
        if ((await find(credential.credentialId)) !== undefined) return 'taken';
      }
    },

    noteUse: async ({ id, counter: from }, counter) => {
      const { matchedCount } = await storeCall(() =>
        passkeys.updateOne(
          { _id: id, counter: from },
          { $set: { counter, last_used_at: new Date(clock()) } },
        ),
      );
      return matchedCount === 1;
    },

    remove: async (account, id) => {
      const removed = await storeCall(() => passkeys.findOneAndDelete({ _id: id, account }).lean());
      return removed === null ? undefined : toPasskey(removed);
    },

    removeAll: async (account) => {
      await storeCall(() => passkeys.deleteMany({ account }).hint(passkeyIndexNames.slots));
    },

    useChallenge: (id) =>
      isInserted(() =>
        storeCall(() => usedChallenges.create({ _id: id, until: new Date(clock() + usedChallengeMs) })),
      ),
  };
}

function toPasskey(document: PasskeyDocument): Passkey {
  return {
    id: document._id,
    account: document.account,
    name: document.name,
    credentialId: document.credential_id,
    publicKey: Buffer.from(document.public_key, 'base64url'),
    counter: document.counter,
    transports: document.transports,
    createdAt: document.created_at,
    lastUsedAt: document.last_used_at,
  };
}
