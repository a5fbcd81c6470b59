import { z } from 'zod';

/** The status of an account, which operators change. `deleted` is final. */
export const accountStatuses = ['active', 'suspended', 'deleted'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

const eventTypes = {
  active: 'account.resumed',
  suspended: 'account.suspended',
  deleted: 'account.deleted',
} as const satisfies Record<AccountStatus, string>;

/** The envelope's version. A consumer parks an event with another version. */
export const accountEventVersion = 1;

/**
 * An account's state, as a message of the broker. `rev` grows with each change of the account: the state with the greatest
 * `rev` holds, in whatever order events arrive, and a repeated event changes nothing. A consumer ignores members that it does
 * not know.
 */
export const accountEventSchema = z.object({
  id: z.string().min(1),
  type: z.enum(Object.values(eventTypes)),
  version: z.literal(accountEventVersion),
  rev: z.int().min(1),
  data: z.object({
    account: z.string().regex(/^acct_\w+$/),
    status: z.enum(accountStatuses),
    /** Whether its holder still has to verify the e-mail address, because the operator asks for it. Webhooks wait until then. */
    unverified: z.boolean(),
    /** When its keys and webhooks were last revoked. Webhooks that existed then are paused once; null for never. */
    access_revoked_at: z.iso.datetime().nullable(),
  }),
});
export type AccountEvent = z.infer<typeof accountEventSchema>;

/** An account's state, as its event tells it. */
export type AccountEventState = AccountEvent['data'] & { readonly rev: number };

/** Creates the event of an account's state. The same state always makes the same event, including its id. */
export function accountEvent({ rev, ...data }: AccountEventState): AccountEvent {
  const { account, status } = data;
  return accountEventSchema.parse({
    id: `${account}.${rev}`,
    type: eventTypes[status],
    version: accountEventVersion,
    rev,
    data,
  });
}
