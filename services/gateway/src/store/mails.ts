import { randomUUID } from 'node:crypto';
import { claimDue, isInserted, storeCall } from '@sigcast/mongo';
import type { Mail } from '../domain/mail/kinds.ts';
import { isLetterKind, type Letter } from '../domain/mail/letters.ts';
import type { LeasedMail, Mails } from '../domain/mail/sending.ts';
import { type MailDocument, type Models, mailIndexNames } from './models.ts';

/** How many waiting mails are counted at most. */
const maxCounted = 1_000;
/** How many waiting mails are looked at for the oldest, those due first. */
const lookedAt = 50;

/** Mails in MongoDB. */
export function mongoMails({ mails }: Models, clock: () => number): Mails {
  const due = { due_at: { $exists: true } };
  const hint = mailIndexNames.due;
  return {
    add: ({ id, ...mail }) => {
      const at = new Date(clock());
      const document = { _id: id, ...mail, created_at: at, due_at: at, tries: 0 };
      return isInserted(() => storeCall(() => mails.insertOne(document)));
    },

    find: (id) =>
      storeCall(async () => {
        const found = await mails.findOne({ _id: id });
        return found === null ? undefined : toMail(found);
      }),

    claim: (now, until) =>
      storeCall(async () => {
        const lease = randomUUID();
        const claimed = await claimDue(
          mails,
          { due: 'due_at', hint, now, until },
          { $set: { lease }, $inc: { tries: 1 } },
        );
        if (claimed === undefined) return undefined;
        return { ...toMail(claimed), lease, createdAt: claimed.created_at, tries: claimed.tries };
      }),

    end: ({ id, lease, kind }, outcome, at) =>
      storeCall(async () => {
        if (isLetterKind(kind)) return void (await mails.deleteOne({ _id: id, lease }));
        const ended = { $set: { outcome, ended_at: at }, $unset: { due_at: '', lease: '' } } as const;
        await mails.updateOne({ _id: id, lease }, ended);
      }),

    postpone: ({ id, lease }: LeasedMail, dueAt) =>
      storeCall(async () => {
        const postponed = { $set: { due_at: dueAt }, $unset: { lease: '' } } as const;
        await mails.updateOne({ _id: id, lease }, postponed);
      }),

    waiting: () =>
      storeCall(async () => {
        const [count, first] = await Promise.all([
          mails.countDocuments(due, { limit: maxCounted, hint }),
          mails
            .find(due, { projection: { created_at: 1 } })
            .sort({ due_at: 1 })
            .limit(lookedAt)
            .hint(hint)
            .toArray(),
        ]);
        const times = first.map(({ created_at }) => created_at.getTime());
        return { count, since: times.length === 0 ? undefined : new Date(Math.min(...times)) };
      }),
  };
}

function toMail({ _id: id, account, to, kind, values }: MailDocument): Mail | Letter {
  // Only `add` writes them, and it takes a kind with its values.
  return { id, account, ...(to !== undefined && { to }), kind, values } as Mail | Letter;
}
