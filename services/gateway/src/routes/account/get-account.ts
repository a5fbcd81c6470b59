import { noQuery, sendData } from '@sigcast/http';
import { viewOf } from './answer-session.ts';
import { asCaller } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** `GET /account` */
export function getAccount(deps: AccountDeps) {
  return asCaller(deps, async (req, res, { account }) => {
    noQuery(req);
    sendData(res, await viewOf(deps, account));
  });
}
