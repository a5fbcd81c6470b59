import { keepDoing, keepLooking, type Logger, type Resources } from '@sigcast/runtime';
import { type KeyListing, keyIdOf } from '../domain/api-key.ts';
import { type MakeDigestDeps, makeDigest } from '../domain/mail/make-digest.ts';
import type { Mails } from '../domain/mail/sending.ts';
import { dayMs } from '../domain/usage.ts';
import type { DueDigests } from '../store/mail-settings.ts';

/** In milliseconds: between two looks at keys, and after one that failed. */
const keyPauses = { doneMs: 3_600_000, retryMs: 60_000 };
/** Between two searches for digests, in milliseconds. */
const digestPauses = { firstMs: 1_000, maxMs: 60_000 };
/** Longer than a digest takes. A digest that failed is due again then. */
const digestLeaseMs = 120_000;

type FillDeps = {
  readonly add: Mails['add'];
  readonly clock: () => number;
  readonly log: Logger;
};

/** Adds mails about keys that expire within 7 days, and again within a day, until `resources` are released. */
export function mailExpiringKeys(
  { add, clock, log }: FillDeps,
  expiring: (from: Date, until: Date) => AsyncIterable<KeyListing>,
  resources: Resources,
): void {
  keepDoing(async (stopping) => {
    try {
      const now = clock();
      for await (const key of expiring(new Date(now), new Date(now + 7 * dayMs))) {
        if (stopping.aborted || key.expiresAt === null) break;
        const { sha256, account, name, environment, first, last, expiresAt } = key;
        const days = expiresAt.getTime() - now <= dayMs ? 1 : 7;
        const values = { name, environment, first, last, expires_at: expiresAt.toISOString() };
        await add({ id: `keys:${keyIdOf(sha256)}:${days}`, account, kind: 'keys', values });
      }
      return keyPauses.doneMs;
    } catch (err) {
      log.warn({ err }, 'mail: expiring keys can not be looked at yet');
      return keyPauses.retryMs;
    }
  }, resources);
}

/** Makes digests that are due, one after another, until `resources` are released. */
export function makeDigests(
  { clock, log, digests, ...deps }: Omit<FillDeps, 'add'> & MakeDigestDeps & { readonly digests: DueDigests },
  resources: Resources,
): void {
  keepLooking(
    async () => {
      try {
        const now = new Date(clock());
        const digest = await digests.claim(now, new Date(now.getTime() + digestLeaseMs));
        if (digest === undefined) return undefined;
        await digests.next(digest, await makeDigest(digest, now, deps));
        return 0;
      } catch (err) {
        log.warn({ err }, 'mail: a digest can not be made yet');
        return { retryMs: digestPauses.maxMs };
      }
    },
    digestPauses,
    resources,
  );
}
