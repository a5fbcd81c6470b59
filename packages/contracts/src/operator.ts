import { z } from 'zod';
import { count, timestamp } from './members.ts';
import { apiKeySchema } from './resources/account.ts';
import {
  failingWebhookSchema,
  scannerStateSchema,
  signalsStateSchema,
  webhooksStateSchema,
} from './system-state.ts';

/*
 * Requests and answers of the routes for operators, under `/account/operator`. They are not in the OpenAPI document: no
 * customer can use them.
 */

/** Query of `GET /account/operator/accounts`. `q`: the beginning of an e-mail address, or a whole id. `after`: `next` of the page before. */
export const operatorAccountsQuerySchema = z.strictObject({
  q: z.string().trim().max(254).optional(),
  after: z.string().min(1).max(300).optional(),
});

/** An account as an operator sees it in a list. */
const operatorAccountSchema = z.strictObject({
  id: z.string(),
  email: z.string(),
  plan: z.string(),
  status: z.enum(['active', 'suspended']),
  operator: z.boolean(),
  /** Whether it is known that the e-mail address is its holder's. */
  email_verified: z.boolean(),
  created_at: timestamp,
  /** Keys that are valid now. */
  live_keys: count,
  /** Requests with the account's keys since 00:00 UTC. New requests are added after some seconds. */
  today: z.strictObject({ requests: count, refused: count }),
});
export type OperatorAccount = z.infer<typeof operatorAccountSchema>;

/** A page of accounts. `next` is `after` of the next page; null on the last page. */
export const operatorAccountsSchema = z.strictObject({
  accounts: z.array(operatorAccountSchema),
  next: z.string().nullable(),
});
export type OperatorAccounts = z.infer<typeof operatorAccountsSchema>;

/** An account with its keys, newest first. */
export const operatorAccountDetailSchema = operatorAccountSchema.extend({ keys: z.array(apiKeySchema) });
export type OperatorAccountDetail = z.infer<typeof operatorAccountDetailSchema>;

/** Body of `PATCH /account/operator/accounts/{id}`: one change. */
export const operatorChangeSchema = z.union(
  [
    z.strictObject({ status: z.enum(['active', 'suspended'], 'must be active or suspended') }),
    z.strictObject({ plan: z.string().min(1).max(40) }),
  ],
  'must have either status (active or suspended) or plan',
);
export type OperatorChange = z.infer<typeof operatorChangeSchema>;

/** A plan that an account can have. */
export const operatorPlanSchema = z.strictObject({
  name: z.string(),
  requests_per_minute: z.int().min(1),
  requests_per_day: z.int().min(1),
  webhooks: count,
  streams: count,
});
export type OperatorPlan = z.infer<typeof operatorPlanSchema>;

/** The actions of operators that are logged. */
export const operatorActions = [
  ...(['account.suspend', 'account.resume', 'account.plan', 'account.password', 'account.delete'] as const),
  ...(['account.verify', 'factors.reset'] as const),
  ...(['operators.add', 'operators.remove', 'plan.set', 'key.create', 'key.revoke'] as const),
] as const;
export type OperatorAction = (typeof operatorActions)[number];

/** Query of `GET /account/operator/log`. `account`: only entries about one account. `after`: `next` of the page before. */
export const operatorLogQuerySchema = z.strictObject({
  account: z.string().min(1).max(64).optional(),
  after: z.string().min(1).max(64).optional(),
});

const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** One action of an operator. E-mail addresses are the present ones; null for a deleted account. */
const operatorLogEntrySchema = z.strictObject({
  id: z.string(),
  at: timestamp,
  by: z.discriminatedUnion('via', [
    z.strictObject({ via: z.literal('dashboard'), account: z.string(), email: z.string().nullable() }),
    z.strictObject({ via: z.literal('command'), user: z.string() }),
  ]),
  action: z.enum(operatorActions),
  /** Null where the action is about no account. */
  account: z.strictObject({ id: z.string(), email: z.string().nullable() }).nullable(),
  before: facts,
  after: facts,
});
export type OperatorLogEntry = z.infer<typeof operatorLogEntrySchema>;

/** A page of the log, newest first. `next` is `after` of the next page; null on the last page. */
export const operatorLogSchema = z.strictObject({
  entries: z.array(operatorLogEntrySchema),
  next: z.string().nullable(),
});
export type OperatorLogView = z.infer<typeof operatorLogSchema>;

/**
 * Answer of `GET /account/operator/system`: the gateway's checks, as in `/readyz`, and the states of services; null for a
 * service that does not answer. `scanner` is absent where the gateway knows of none.
 */
export const operatorSystemSchema = z.strictObject({
  checks: z.record(z.string(), z.enum(['ok', 'failing'])),
  signals: signalsStateSchema.nullable(),
  deliveries: webhooksStateSchema.shape.deliveries.nullable(),
  scanner: scannerStateSchema.nullable().optional(),
});
export type OperatorSystem = z.infer<typeof operatorSystemSchema>;

/** A subscription that fails, with its account's address; null where the account is deleted. */
export const operatorWebhookSchema = failingWebhookSchema.extend({ email: z.string().nullable() });
export type OperatorWebhook = z.infer<typeof operatorWebhookSchema>;
