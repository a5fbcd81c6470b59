import {
  type AccountRole,
  type AccountStatus,
  type ApiScope,
  type AuditAction,
  accountRoles,
  accountStatuses,
  auditActions,
  auditActorKinds,
  auditKeptDays,
  type OperatorAction,
  operatorActions,
  requestsKeptDays,
} from '@sigcast/contracts';
import { type IndexSpec, startIndexes } from '@sigcast/mongo';
import type { Logger, Resources } from '@sigcast/runtime';
import { type Connection, Schema } from 'mongoose';
import type { EmailVerification } from '../domain/accounts.ts';
import type { MailKind } from '../domain/mail/kinds.ts';
import type { LetterKind } from '../domain/mail/letters.ts';
import type { MailEnd } from '../domain/mail/sending.ts';
import type { Digest } from '../domain/mail/settings.ts';
import type { Actor, LoggedValues } from '../domain/operator-log.ts';
import { type Plan, standardPlan } from '../domain/plan.ts';
import type { LoggedEntry } from '../domain/request-log.ts';
import type { UsageLetter } from '../domain/usage-days.ts';

export type PlanDocument = {
  _id: string;
  per_minute: number;
  per_day: number;
  webhooks: number;
  streams: number;
};

/**
 * `rev` grows with every change. The write of a change also sets the mark `pending`, which is removed when the change is
 * propagated. So a crash in between loses no change.
 */
type Propagated = { rev: number; pending?: true };

/** Part of every change of an account or key that is propagated. */
export const newRevision = { $inc: { rev: 1 } } as const;

export type AccountDocument = Propagated & {
  _id: string;
  email: string;
  password_hash: string;
  plan: string;
  status: AccountStatus;
  created_at: Date;
  /** Whether its state is published to other services; absent while there was nothing to publish. */
  noticed?: boolean;
  /** The address that it is to have, once its holder has confirmed it. */
  new_email?: string;
  /** See {@link EmailVerification}; absent for `not-asked`. */
  verification?: Exclude<EmailVerification, 'not-asked'>;
  /** When its keys and webhooks were last revoked. */
  access_revoked_at?: Date;
  /** When all its members and invitations were last removed. */
  members_removed_at?: Date;
  /** Whether its sessions reach the routes for operators; absent for all others. */
  operator?: true;
  /** Which mails it gets; absent members are as usual. `filter` is JSON; `since`: when the last digest ended. */
  mail?: {
    webhooks?: boolean;
    keys?: boolean;
    digest?: { every: Digest['every']; filter: string; since: Date };
  };
  /** When its next digest is made, or the lease of the process that makes it ends; absent without a digest. */
  digest_due_at?: Date;
};

/**
 * `_id` is the SHA-256 of the key's text; the text itself is not stored. `place` is the key's slot among those of its
 * account, from 0 on. It is removed when the key is revoked, or found expired. `scopes`, `networks` (as `normalNetwork`
 * writes them) and `per_minute` are null where the key has no such restriction.
 */
export type KeyDocument = Propagated & {
  _id: string;
  account: string;
  name: string;
  environment: string;
  first: string;
  last: string;
  created_at: Date;
  last_used_at: Date | null;
  /** The client address of that use. */
  last_used_from: string | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  scopes: readonly ApiScope[] | null;
  networks: readonly string[] | null;
  per_minute: number | null;
  place?: number;
};

/**
 * A session. Hashes of parts of its refresh token: `family_sha256` of the part that all its tokens share, `secret_sha256` of
 * the secret of the newest token, `replaced_sha256` of the secret before, if any. `password_sha256` is a hash of the
 * account's password hash: with a new password the session ends.
 */
export type SessionDocument = {
  _id: string;
  account: string;
  /** The account that it acts for, once it has acted for another than its own. */
  acts_for?: string;
  password_sha256: string;
  family_sha256: string;
  secret_sha256: string;
  succession_key: string;
  replaced_sha256?: string;
  replaced_at?: Date;
  created_at: Date;
  expires_at: Date;
  /** When and from where it was begun or renewed last. */
  last_used_at: Date;
  address?: string;
  user_agent?: string;
};

/**
 * The second factor of the account `_id`: its seed, sealed for the account, and the SHA-256 of each recovery code that was not used
 * yet. `last_step`: the step whose code was used last; no code of it or before is right. Without `seed` it is only begun.
 */
export type SecondFactorDocument = {
  _id: string;
  begun?: { seed: string; at: Date };
  factor_id?: string;
  since?: Date;
  seed?: string;
  last_step?: number;
  recovery_sha256?: string[];
};

/** A passkey. `slot`: one of those that an account has. `credential_id` and `public_key` in base64url. */
export type PasskeyDocument = {
  _id: string;
  account: string;
  slot: number;
  name: string;
  credential_id: string;
  public_key: string;
  counter: number;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
};

/** A challenge of a passkey that was answered. */
export type UsedChallengeDocument = { _id: string; until: Date };

/** What an account used on one day (UTC): by hour (0 to 23), each figure under one letter. `_id` is `account:2026-11-21`. */
export type UsageDocument = {
  _id: string;
  day: Date;
  hours: UsageHours;
  /** The same of each key and of each path, by its name. */
  keys?: Record<string, UsageHours>;
  routes?: Record<string, UsageHours>;
  /** How many of the day's requests are in each class of latency that has any, by the class's number. */
  latency?: { keys?: Record<string, LatencyClasses>; routes?: Record<string, LatencyClasses> };
};
type LatencyClasses = Record<string, number>;
type UsageHours = Record<string, Partial<Record<UsageLetter, number>>>;

/** An entry of the operator log; see `LogEntry`. */
export type OperatorLogDocument = {
  _id: string;
  at: Date;
  by: Actor;
  action: OperatorAction;
  account: string | null;
  before: LoggedValues;
  after: LoggedValues;
};

/** A member of an account: `_id` is `account:person`, both ids of accounts. */
export type MemberDocument = {
  _id: string;
  account: string;
  person: string;
  role: AccountRole;
  joined_at: Date;
};

/** An invitation that waits. It holds no token: that of its link is signed. */
export type InvitationDocument = {
  _id: string;
  account: string;
  email: string;
  role: AccountRole;
  created_at: Date;
  expires_at: Date;
};

/** An entry of the audit log; see `AuditEntry`. */
export type AuditDocument = {
  _id: string;
  at: Date;
  account: string;
  action: AuditAction;
  by: (typeof auditActorKinds)[number];
  by_id?: string;
  target?: string;
  address?: string;
  user_agent?: string;
};

/** A mail or a letter. `due_at`: when it is sent, or its lease ends; absent when it has ended. */
export type MailDocument = {
  _id: string;
  /** Absent in letters. */
  account?: string;
  /** Where it goes; absent for the present address of the account. */
  to?: string;
  kind: MailKind | LetterKind;
  values: object;
  created_at: Date;
  tries: number;
  due_at?: Date;
  lease?: string;
  outcome?: MailEnd;
  ended_at?: Date;
};

/** An entry of a bucket, with its place there. */
export type StoredRequest = LoggedEntry & { readonly n: number };

/** A bucket of an account's requests, in the order in which they were noted. `first`, `last`: when the answers ended. */
export type RequestsDocument = {
  _id: string;
  account: string;
  first: Date;
  last: Date;
  count: number;
  entries: StoredRequest[];
};

const propagated = { rev: { type: Number, required: true }, pending: Boolean };
const options = { versionKey: false, strict: 'throw', minimize: false } as const;

const planSchema = new Schema<PlanDocument>(
  {
    _id: String,
    per_minute: { type: Number, required: true, min: 1 },
    per_day: { type: Number, required: true, min: 1 },
    webhooks: { type: Number, required: true, min: 0 },
    streams: { type: Number, required: true, min: 0 },
  },
  options,
);

const accountSchema = new Schema<AccountDocument>(
  {
    _id: String,
    email: { type: String, required: true },
    new_email: String,
    password_hash: { type: String, required: true },
    plan: { type: String, required: true },
    status: { type: String, enum: accountStatuses, required: true },
    created_at: { type: Date, required: true },
    noticed: Boolean,
    verification: { type: String, enum: ['pending', 'verified'] },
    access_revoked_at: Date,
    members_removed_at: Date,
    operator: Boolean,
    mail: Schema.Types.Mixed,
    digest_due_at: Date,
    ...propagated,
  },
  options,
);

const keySchema = new Schema<KeyDocument>(
  {
    _id: String,
    account: { type: String, required: true },
    name: { type: String, required: true },
    environment: { type: String, required: true },
    first: { type: String, required: true },
    last: { type: String, required: true },
    created_at: { type: Date, required: true },
    last_used_at: { type: Date, default: null },
    last_used_from: { type: String, default: null },
    expires_at: { type: Date, default: null },
    revoked_at: { type: Date, default: null },
    scopes: { type: [String], default: null },
    networks: { type: [String], default: null },
    per_minute: { type: Number, default: null },
    place: Number,
    ...propagated,
  },
  options,
);

const sessionSchema = new Schema<SessionDocument>(
  {
    _id: String,
    account: { type: String, required: true },
    acts_for: String,
    password_sha256: { type: String, required: true },
    family_sha256: { type: String, required: true },
    secret_sha256: { type: String, required: true },
    succession_key: { type: String, required: true },
    replaced_sha256: String,
    replaced_at: Date,
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    last_used_at: { type: Date, required: true },
    address: String,
    user_agent: String,
  },
  options,
);

const secondFactorSchema = new Schema<SecondFactorDocument>(
  {
    _id: String,
    begun: { type: { _id: false, seed: String, at: Date }, required: false },
    factor_id: String,
    since: Date,
    seed: String,
    last_step: Number,
    recovery_sha256: { type: [String], default: undefined },
  },
  options,
);

const passkeySchema = new Schema<PasskeyDocument>(
  {
    _id: String,
    account: { type: String, required: true },
    slot: { type: Number, required: true },
    name: { type: String, required: true },
    credential_id: { type: String, required: true },
    public_key: { type: String, required: true },
    counter: { type: Number, required: true },
    transports: { type: [String], required: true },
    created_at: { type: Date, required: true },
    last_used_at: { type: Date, default: null },
  },
  options,
);

const usedChallengeSchema = new Schema<UsedChallengeDocument>(
  { _id: String, until: { type: Date, required: true } },
  options,
);

const usageSchema = new Schema<UsageDocument>(
  {
    _id: String,
    day: { type: Date, required: true },
    hours: Schema.Types.Mixed,
    keys: Schema.Types.Mixed,
    routes: Schema.Types.Mixed,
    latency: Schema.Types.Mixed,
  },
  options,
);

const operatorLogSchema = new Schema<OperatorLogDocument>(
  {
    _id: String,
    at: { type: Date, required: true },
    by: { type: Schema.Types.Mixed, required: true },
    action: { type: String, enum: operatorActions, required: true },
    account: { type: String, default: null },
    before: { type: Schema.Types.Mixed, required: true },
    after: { type: Schema.Types.Mixed, required: true },
  },
  options,
);

const auditSchema = new Schema<AuditDocument>(
  {
    _id: String,
    at: { type: Date, required: true },
    account: { type: String, required: true },
    action: { type: String, enum: auditActions, required: true },
    by: { type: String, enum: auditActorKinds, required: true },
    by_id: String,
    target: String,
    address: String,
    user_agent: String,
  },
  options,
);

const memberSchema = new Schema<MemberDocument>(
  {
    _id: String,
    account: { type: String, required: true },
    person: { type: String, required: true },
    role: { type: String, enum: accountRoles, required: true },
    joined_at: { type: Date, required: true },
  },
  options,
);

const invitationSchema = new Schema<InvitationDocument>(
  {
    _id: String,
    account: { type: String, required: true },
    email: { type: String, required: true },
    role: { type: String, enum: accountRoles, required: true },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  options,
);

const pending: IndexSpec = {
  name: 'pending',
  key: { pending: 1 },
  partialFilterExpression: { pending: true },
};
/** The names of indexes that queries of digests hint at. */
export const accountIndexNames = { digestDue: 'digest_due' } as const;

const accountIndexes: readonly IndexSpec[] = [
  { name: 'email_unique', key: { email: 1 }, unique: true },
  pending,
  { name: 'unnoticed', key: { noticed: 1 }, partialFilterExpression: { noticed: false } },
  { name: 'operators', key: { operator: 1 }, partialFilterExpression: { operator: true } },
  {
    name: accountIndexNames.digestDue,
    key: { digest_due_at: 1 },
    partialFilterExpression: { digest_due_at: { $exists: true } },
  },
];

/** The name of the index of keys by the time at which they expire. */
export const expiringKeys = 'expiring';

const keyIndexes: readonly IndexSpec[] = [
  { name: 'by_account', key: { account: 1, created_at: -1, _id: -1 } },
  {
    name: 'places',
    key: { account: 1, place: 1 },
    unique: true,
    partialFilterExpression: { place: { $exists: true } },
  },
  {
    name: expiringKeys,
    key: { expires_at: 1 },
    partialFilterExpression: { place: { $exists: true } },
  },
  pending,
];

const sessionIndexes: readonly IndexSpec[] = [
  { name: 'by_account', key: { account: 1 } },
  { name: 'expired', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

/** The names of indexes that queries of passkeys hint at. */
export const passkeyIndexNames = { slots: 'slots' } as const;
const passkeyIndexes: readonly IndexSpec[] = [
  { name: 'credential_unique', key: { credential_id: 1 }, unique: true },
  { name: passkeyIndexNames.slots, key: { account: 1, slot: 1 }, unique: true },
];

const usedChallengeIndexes: readonly IndexSpec[] = [
  { name: 'old', key: { until: 1 }, expireAfterSeconds: 0 },
];

const dayS = 86_400;
/** The current day and the 90 days before: `day` is the beginning of a day. */
const usageKeptDays = 91;
const usageIndexes: readonly IndexSpec[] = [
  { name: 'old', key: { day: 1 }, expireAfterSeconds: usageKeptDays * dayS },
];

/** The names of indexes that queries of mails hint at. */
export const mailIndexNames = { due: 'due' } as const;
/** Longer than anything could make the same mail again. */
const mailKeptDays = 30;
const mailIndexes: readonly IndexSpec[] = [
  {
    name: mailIndexNames.due,
    key: { due_at: 1 },
    partialFilterExpression: { due_at: { $exists: true } },
  },
  { name: 'by_account', key: { account: 1 } },
  { name: 'old', key: { created_at: 1 }, expireAfterSeconds: mailKeptDays * dayS },
];

/** The names of indexes that queries of requests hint at. */
export const requestIndexNames = { byAccount: 'by_account', byRequest: 'by_request' } as const;
const requestIndexes: readonly IndexSpec[] = [
  // All that is asked of a bucket before its entries are read.
  { name: requestIndexNames.byAccount, key: { account: 1, last: -1, first: 1, count: 1, _id: 1 } },
  { name: requestIndexNames.byRequest, key: { 'entries.id': 1, account: 1, last: -1 } },
  { name: 'old', key: { last: 1 }, expireAfterSeconds: requestsKeptDays * dayS },
];

/** Two years. */
const operatorLogKeptDays = 730;
const operatorLogIndexes: readonly IndexSpec[] = [
  { name: 'old', key: { at: 1 }, expireAfterSeconds: operatorLogKeptDays * dayS },
  { name: 'by_account', key: { account: 1, _id: -1 } },
];

/** The names of indexes that queries of the audit log hint at. */
export const auditIndexNames = { byAccount: 'by_account', byAction: 'by_action' } as const;
const auditIndexes: readonly IndexSpec[] = [
  { name: 'old', key: { at: 1 }, expireAfterSeconds: auditKeptDays * dayS },
  { name: auditIndexNames.byAccount, key: { account: 1, _id: -1 } },
  { name: auditIndexNames.byAction, key: { account: 1, action: 1, _id: -1 } },
];

const memberIndexes: readonly IndexSpec[] = [
  { name: 'by_account', key: { account: 1, joined_at: 1 } },
  { name: 'by_person', key: { person: 1 } },
];

const invitationIndexes: readonly IndexSpec[] = [
  { name: 'by_account', key: { account: 1, email: 1 } },
  { name: 'expired', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];

/** The indexes of the gateway's collections. */
export const gatewayIndexes = {
  accounts: accountIndexes,
  keys: keyIndexes,
  sessions: sessionIndexes,
  passkeys: passkeyIndexes,
  used_challenges: usedChallengeIndexes,
  usage: usageIndexes,
  operator_log: operatorLogIndexes,
  audit: auditIndexes,
  members: memberIndexes,
  invitations: invitationIndexes,
  mails: mailIndexes,
  requests: requestIndexes,
} satisfies Record<string, readonly IndexSpec[]>;

/** The gateway's collections. */
export function models(connection: Connection) {
  return {
    plans: connection.model('Plan', planSchema, 'plans'),
    accounts: connection.model('Account', accountSchema, 'accounts'),
    keys: connection.model('ApiKey', keySchema, 'keys'),
    sessions: connection.model('Session', sessionSchema, 'sessions'),
    passkeys: connection.model('Passkey', passkeySchema, 'passkeys'),
    usedChallenges: connection.model('UsedChallenge', usedChallengeSchema, 'used_challenges'),
    secondFactors: connection.model('SecondFactor', secondFactorSchema, 'second_factors'),
    usage: connection.model('Usage', usageSchema, 'usage'),
    operatorLog: connection.model('OperatorLog', operatorLogSchema, 'operator_log'),
    members: connection.model('Member', memberSchema, 'members'),
    invitations: connection.model('Invitation', invitationSchema, 'invitations'),
    audit: connection.model('AuditEntry', auditSchema, 'audit'),
    mails: connection.collection<MailDocument>('mails'),
    requests: connection.collection<RequestsDocument>('requests'),
  };
}

export type Models = ReturnType<typeof models>;

/** What is stored of a plan. */
export function planFields({ perMinute, perDay, webhooks, streams }: Plan): Omit<PlanDocument, '_id'> {
  return { per_minute: perMinute, per_day: perDay, webhooks, streams };
}

export function toPlan({ _id, per_minute, per_day, webhooks, streams }: PlanDocument): Plan {
  return { name: _id, perMinute: per_minute, perDay: per_day, webhooks, streams };
}

/** Creates missing indexes, and the standard plan if it is missing. An operator's change of that plan stays. */
export async function prepareStore(
  connection: Connection,
  log: Logger,
  resources: Resources,
): Promise<Models> {
  await startIndexes(connection, gatewayIndexes, log, resources);
  const all = models(connection);
  await all.plans.updateOne(
    { _id: standardPlan.name },
    { $setOnInsert: planFields(standardPlan) },
    { upsert: true },
  );
  return all;
}
