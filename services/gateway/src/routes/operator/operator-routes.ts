import { resource } from '@sigcast/http';
import { type IRouter, Router } from 'express';
import { getAccount, listAccounts, listPlans, patchAccount } from './accounts.ts';
import type { OperatorDeps } from './deps.ts';
import { requireOperator } from './guard.ts';
import { listLog } from './list-log.ts';
import { getSystem, listFailingWebhooks } from './system.ts';

/** The routes for operators (ADR 39). For everybody else each path below `/account/operator` is 404. */
export function operatorRoutes(router: IRouter, deps: OperatorDeps): void {
  const own = Router({ caseSensitive: true, strict: true });
  own.use(requireOperator(deps));
  resource(own, '/accounts', { GET: listAccounts(deps) });
  resource(own, '/accounts/:id', { GET: getAccount(deps), PATCH: patchAccount(deps) });
  resource(own, '/plans', { GET: listPlans(deps) });
  resource(own, '/log', { GET: listLog(deps) });
  resource(own, '/webhooks', { GET: listFailingWebhooks(deps) });
  resource(own, '/system', { GET: getSystem(deps) });
  router.use('/account/operator', own);
}
