import type { AccountView, ApiKeyView, OpenSessionView, OperatorPlan, PasskeyView } from '@sigcast/contracts';
import { type KeyListing, keyIdOf } from '../../domain/api-key.ts';
import type { Holder } from '../../domain/members.ts';
import type { Passkey } from '../../domain/passkeys.ts';
import type { Plan } from '../../domain/plan.ts';
import type { OpenSession } from '../../domain/sessions.ts';

/** An account as somebody who acts for it sees it. */
export function accountView(
  { account: { id, email, newEmail, status, verification, createdAt }, person, role }: Holder,
  { plan, accounts }: Pick<AccountView, 'plan' | 'accounts'>,
): AccountView {
  return {
    id,
    email,
    plan,
    status,
    email_verified: verification === 'verified',
    new_email: person.id === id ? newEmail : null,
    ...(person.operator && { operator: true }),
    created_at: createdAt.toISOString(),
    person: { id: person.id, email: person.email },
    role,
    accounts,
  };
}

/** A plan as account holders and operators see it. */
export function planView({ name, perMinute, perDay, webhooks, streams }: Plan): OperatorPlan {
  return { name, requests_per_minute: perMinute, requests_per_day: perDay, webhooks, streams };
}

/** A passkey as its account's holder sees it. */
export function passkeyView({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}

/** A session as its account's holder sees it. */
export function sessionView(
  { id, createdAt, lastUsedAt, expiresAt, origin }: OpenSession,
  current: string,
): OpenSessionView {
  return {
    id,
    current: id === current,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    address: origin.address,
    user_agent: origin.userAgent,
  };
}

/** A key as its account sees it. */
export function keyView(key: KeyListing, nowMs: number): ApiKeyView {
  const expired = key.expiresAt !== null && key.expiresAt.getTime() <= nowMs;
  return {
    id: keyIdOf(key.sha256),
    name: key.name,
    environment: key.environment,
    first: key.first,
    last: key.last,
    state: key.revokedAt !== null ? 'revoked' : expired ? 'expired' : 'active',
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    last_used_from: key.lastUsedFrom,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    scopes: key.scopes && [...key.scopes],
    networks: key.networks && [...key.networks],
    requests_per_minute: key.perMinute,
  };
}
