import { z } from 'zod';

/** What an operator can have made of an account. `deleted` is for good. */
export const accountStatuses = ['active', 'suspended', 'deleted'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

const eventTypes = {
  active: 'account.resumed',
  suspended: 'account.suspended',
  deleted: 'account.deleted',
} as const satisfies Record<AccountStatus, string>;

/** The envelope's version. A consumer parks what carries another one. */
export const accountEventVersion = 1;

/**
 * An account's state, as it travels through the broker. `rev` grows with each change of the account: the state with the
 * greatest one holds, whatever order events arrive in, and one that comes again changes nothing. A consumer reads what it
 * uses and ignores members that it does not know.
 */
export const accountEventSchema = z.object({
  id: z.string().min(1),
  type: z.enum(Object.values(eventTypes)),
  version: z.literal(accountEventVersion),
  rev: z.int().min(1),
  data: z.object({ account: z.string().regex(/^acct_\w+$/), status: z.enum(accountStatuses) }),
});
export type AccountEvent = z.infer<typeof accountEventSchema>;

/** The event that says how an account stands. The same state makes the same event, its id included. */
export function accountEvent(account: string, rev: number, status: AccountStatus): AccountEvent {
  return accountEventSchema.parse({
    ...{ id: `${account}.${rev}`, type: eventTypes[status], version: accountEventVersion, rev },
    data: { account, status },
  });
}
