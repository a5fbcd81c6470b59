import { claimDue, storeCall } from '@sigcast/mongo';
import {
  type Digest,
  digestDueAt,
  type MailSettings,
  type MailSettingsStore,
  usualMailSettings,
} from '../domain/mail/settings.ts';
import { type AccountDocument, accountIndexNames, type Models } from './models.ts';

/** A digest that this process alone makes until its lease ends. */
export type LeasedDigest = Digest & {
  readonly account: string;
  /** When the last digest ended. */
  readonly since: Date;
  readonly leasedUntil: Date;
};

/** Digests that are due. Methods throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type DueDigests = {
  claim(now: Date, until: Date): Promise<LeasedDigest | undefined>;
  /** Ends a lease: the next digest begins at `until`. Changes nothing when the digest was changed meanwhile. */
  next(digest: LeasedDigest, until: Date): Promise<void>;
};

/** Which mails accounts get, in MongoDB. */
export function mongoMailSettings(
  { accounts }: Models,
  clock: () => number,
): MailSettingsStore & { readonly digests: DueDigests } {
  const store: MailSettingsStore = {
    recipient: (account) =>
      storeCall(async () => {
        const found = await accounts
          .findOne(
            { _id: account, status: { $ne: 'deleted' } },
            { email: 1, status: 1, verification: 1, mail: 1 },
          )
          .lean();
        if (found === null) return undefined;
        const getsMail = found.status === 'active' && found.verification === 'verified';
        return { email: found.email, settings: settingsOf(found), getsMail };
      }),

    change: (account, { digest, ...members }) =>
      storeCall(async () => {
        const values = Object.fromEntries(
          Object.entries(members).map(([member, value]) => [`mail.${member}`, value]),
        );
        const found = digest && (await accounts.findById(account, { mail: 1 }).lean());
        const since = found?.mail?.digest?.since ?? new Date(clock());
        const $set = {
          ...values,
          ...(digest && {
            'mail.digest': { every: digest.every, filter: JSON.stringify(digest.filter), since },
            digest_due_at: digestDueAt(since, digest.every),
          }),
        };
        const $unset = digest === null ? { 'mail.digest': 1, digest_due_at: 1 } : {};
        await accounts.updateOne({ _id: account, status: { $ne: 'deleted' } }, { $set, $unset });
      }),
  };

  const digests: DueDigests = {
    claim: (now, until) =>
      storeCall(async () => {
        const due = { due: 'digest_due_at', hint: accountIndexNames.digestDue, now, until };
        const claimed = await claimDue(accounts.db.collection<AccountDocument>('accounts'), due);
        const digest = claimed?.mail?.digest;
        if (claimed === undefined || digest === undefined) return undefined;
        return { ...toDigest(digest), account: claimed._id, since: digest.since, leasedUntil: until };
      }),

    next: ({ account, every, leasedUntil }, until) =>
      storeCall(async () => {
        await accounts.updateOne(
          { _id: account, digest_due_at: leasedUntil },
          { $set: { 'mail.digest.since': until, digest_due_at: digestDueAt(until, every) } },
        );
      }),
  };
  return { ...store, digests };
}

function settingsOf({ mail = {} }: Pick<AccountDocument, 'mail'>): MailSettings {
  const { digest, ...members } = mail;
  return { ...usualMailSettings, ...members, digest: digest === undefined ? null : toDigest(digest) };
}

function toDigest({ every, filter }: { every: Digest['every']; filter: string }): Digest {
  return { every, filter: JSON.parse(filter) as Digest['filter'] };
}
