import { createApiKeySchema } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import { asCaller } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { keyView } from './views.ts';

const dayMs = 86_400_000;

/** `POST /account/keys`: the only answer that holds the key itself. */
export function createKey(deps: AccountDeps) {
  return asCaller(deps, async (req, res, { account }) => {
    const { name, environment, expires_in_days: days } = parseBody(createApiKeySchema, req);
    const expiresAt = expiryOf(days, deps.clock());
    const key = await deps.accounts.createKey({ account: account.id, name, environment, expiresAt });
    sendData(res, { ...keyView(key, deps.clock()), key: key.text }, 201);
  });
}

export function expiryOf(days: number | null, nowMs: number): Date | null {
  return days === null ? null : new Date(nowMs + days * dayMs);
}
