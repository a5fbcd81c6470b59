import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AuditEntryView } from '@sigcast/contracts';
import type { AuditRange, StoredAuditEntry } from '../../domain/audit.ts';
import { auditHeading, auditLine } from '../../domain/audit-csv.ts';
import type { AccountHandlers } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { exportByAccount } from './rules.ts';

/** How many entries of an export are read at once. */
const perRead = 1_000;

/** The account's audit log, as pages and as a file. */
export function auditHandlers(deps: AccountDeps): Pick<AccountHandlers, 'listAudit' | 'exportAudit'> {
  return {
    listAudit: async ({ query: { action, since, limit, cursor }, caller: { account } }) => {
      const found = await deps.audit.list(account.id, { action, since, before: cursor, limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > limit ? (page.at(-1)?.id ?? null) : null;
      return { data: await auditViews(deps, page), meta: { next_cursor: next } };
    },

    exportAudit: async ({ query: { format, ...filter }, caller: { account }, req, res }) => {
      await deps.throttle.charge(exportByAccount, account.id);
      res.setHeader('Content-Type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl');
      if (req.method === 'HEAD') return undefined;
      const lines = linesOf(deps, account.id, { format, ...filter });
      // A failure breaks the connection off: an answer that has begun can't become an error.
      await pipeline(Readable.from(lines), res).catch(() => res.destroy());
      return undefined;
    },
  };
}

/** The lines of an export, newest entry first. One read at a time, when the client has taken the lines before. */
async function* linesOf(
  deps: AccountDeps,
  account: string,
  { format, ...filter }: Omit<AuditRange, 'limit' | 'before'> & { readonly format: 'csv' | 'jsonl' },
): AsyncGenerator<string> {
  const line = format === 'csv' ? csvOf : (view: AuditEntryView) => `${JSON.stringify(view)}\n`;
  if (format === 'csv') yield auditHeading;
  let before: string | undefined;
  do {
    const found = await deps.audit.list(account, { ...filter, before, limit: perRead });
    yield (await auditViews(deps, found)).map(line).join('');
    before = found.length === perRead ? found.at(-1)?.id : undefined;
  } while (before !== undefined);
}

function csvOf({ by, ...entry }: AuditEntryView): string {
  return auditLine({ ...entry, by: by.kind, by_id: by.id, by_email: by.email });
}

/** Entries as the account's holder sees them. */
export async function auditViews({ emailsOf }: AccountDeps, entries: readonly StoredAuditEntry[]) {
  const people = entries.flatMap(({ actor }) => (actor.kind === 'holder' ? [actor.id] : []));
  const emails = await emailsOf([...new Set(people)]);
  return entries.map(({ id, at, action, actor, target, origin }): AuditEntryView => {
    const by = 'id' in actor ? actor.id : null;
    return {
      id,
      at: at.toISOString(),
      action,
      by: { kind: actor.kind, id: by, email: emails.get(by ?? '') ?? null },
      target: target ?? null,
      address: origin?.address ?? null,
      user_agent: origin?.userAgent ?? null,
    };
  });
}
