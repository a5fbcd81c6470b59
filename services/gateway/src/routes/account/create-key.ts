import { createApiKeySchema } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import { dayMs } from '../../domain/usage.ts';
import { asCaller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { keyView } from './views.ts';

/** `POST /account/keys`: creates a key. Only this answer contains the key's text. */
export function createKey(deps: AccountDeps) {
  return asCaller(deps, async (req, res, { account }) => {
    const { name, environment, expires_in_days: days } = await parseBody(createApiKeySchema, req);
    const expiresAt = expiryOf(days, deps.clock());
    const key = await deps.keys.create({ account: account.id, name, environment, expiresAt });
    sendData(res, { ...keyView(key, deps.clock()), key: key.text }, 201);
  });
}

/** The instant `days` after `nowMs`; null, which means never, for null. */
export function expiryOf(days: number | null, nowMs: number): Date | null {
  return days === null ? null : new Date(nowMs + days * dayMs);
}
