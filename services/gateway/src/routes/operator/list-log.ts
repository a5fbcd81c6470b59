import { type OperatorLogEntry, type OperatorLogView, operatorLogQuerySchema } from '@sigcast/contracts';
import { parseQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { StoredLogEntry } from '../../domain/operator-log.ts';
import type { OperatorDeps } from './deps.ts';

const perPage = 50;

/** `GET /account/operator/log`: what operators did, newest first. */
export function listLog({ log, reads }: OperatorDeps): RequestHandler {
  return async (req, res) => {
    const { account, after } = parseQuery(operatorLogQuerySchema, req);
    const found = await log.list({ account, after, limit: perPage + 1 });
    const page = found.slice(0, perPage);
    const emails = await reads.emailsOf([...new Set(page.flatMap(accountsIn))]);
    const view: OperatorLogView = {
      entries: page.map((entry) => entryView(entry, emails)),
      next: found.length > perPage ? (page.at(-1)?.id ?? null) : null,
    };
    sendData(res, view);
  };
}

function accountsIn({ account, actor }: StoredLogEntry): string[] {
  return [...(account === null ? [] : [account]), ...(actor.via === 'dashboard' ? [actor.account] : [])];
}

function entryView(
  { id, at, actor, action, account, before, after }: StoredLogEntry,
  emails: ReadonlyMap<string, string>,
): OperatorLogEntry {
  const emailOf = (of: string) => emails.get(of) ?? null;
  return {
    id,
    at: at.toISOString(),
    action,
    before,
    after,
    by: actor.via === 'dashboard' ? { ...actor, email: emailOf(actor.account) } : actor,
    account: account === null ? null : { id: account, email: emailOf(account) },
  };
}
