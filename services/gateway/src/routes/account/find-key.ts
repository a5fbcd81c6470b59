import { keyIdSchema, SigcastError } from '@sigcast/contracts';
import type { Request } from 'express';
import type { KeyListing } from '../../domain/api-key.ts';
import type { Caller } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** The key that the path names. @throws {SigcastError} NOT_FOUND where there is none, or it is another account's. */
export async function findKey({ keys }: AccountDeps, req: Request, { account }: Caller): Promise<KeyListing> {
  const id = keyIdSchema.safeParse(req.params.keyId);
  const [key] = id.success ? await keys.find(id.data.slice('key_'.length)) : [];
  if (key === undefined || key.account !== account.id) {
    throw new SigcastError('NOT_FOUND', 'There is no such key');
  }
  return key;
}
