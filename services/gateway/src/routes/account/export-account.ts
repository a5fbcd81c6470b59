import {
  type AccountExport,
  exportedAuditEntries,
  exportedRequests,
  type LoggedRequest,
} from '@sigcast/contracts';
import { ownHolder } from '../../domain/members.ts';
import { isGap, type RequestPosition, requestView } from '../../domain/request-log.ts';
import { viewOf } from './answer-session.ts';
import { auditViews } from './audit.ts';
import type { AccountHandlers } from './caller.ts';
import type { AccountDeps } from './deps.ts';
import { factorsOf } from './factors.ts';
import { dayViews } from './get-usage.ts';
import { mailView } from './mail.ts';
import { teamOf } from './members.ts';
import { exportByAccount } from './rules.ts';
import { keyView, sessionView } from './views.ts';

/** The days of usage that are kept. */
const usageDays = 90;

/** `GET /account/export`: all that is stored about the account, as a file. */
export function exportAccount(deps: AccountDeps): AccountHandlers['exportAccount'] {
  return async ({ caller: { account, sessionId, by } }) => {
    await deps.throttle.charge(exportByAccount, account.id);
    await deps.audit.add({ ...by, action: 'account.exported' });
    const nowMs = deps.clock();
    const [view, mail, keys, sessions, factors, team, days, entries, requests, webhooks, backtests] =
      await Promise.all([
        viewOf(deps, ownHolder(account)),
        mailView(deps, account.id),
        deps.keys.list(account.id),
        deps.sessions.list(account.id),
        factorsOf(deps, account.id),
        teamOf(deps, account),
        deps.usage.read(account.id, usageDays),
        deps.audit.list(account.id, { limit: exportedAuditEntries }),
        newestRequests(deps, account.id),
        deps.ownedBy.webhooks(account.id),
        deps.ownedBy.backtests(account.id),
      ]);
    const data: AccountExport = {
      exported_at: new Date(nowMs).toISOString(),
      account: view,
      mail,
      keys: keys.map((key) => keyView(key, nowMs)),
      sessions: sessions.map((session) => sessionView(session, sessionId)),
      ...factors,
      ...team,
      usage: dayViews(days),
      audit: await auditViews(deps, entries),
      requests,
      webhooks,
      backtests,
    };
    return { data };
  };
}

/** The newest requests of the log. */
async function newestRequests({ requests }: AccountDeps, account: string): Promise<LoggedRequest[]> {
  const found: LoggedRequest[] = [];
  let after: RequestPosition | undefined;
  do {
    const range = { limit: exportedRequests - found.length, after };
    const { entries, next } = await requests.page(account, {}, range);
    found.push(...entries.flatMap((entry) => (isGap(entry) ? [] : [requestView(entry)])));
    after = next;
  } while (after !== undefined && found.length < exportedRequests);
  return found;
}
