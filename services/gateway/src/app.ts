import { openGuides } from '@sigcast/guides';
import {
  createApp as createHttpApp,
  type DirectRequests,
  finishApp,
  handleDirectly,
  resource,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express } from 'express';
import helmet from 'helmet';
import type { BuiltDashboard } from './dashboard/built-dashboard.ts';
import { findApiRoute, isApiTarget, originForm, pathOf } from './domain/api-routes.ts';
import type { TrackRecord } from './domain/record.ts';
import { accountRoutes } from './routes/account/account-routes.ts';
import type { AccountDeps } from './routes/account/deps.ts';
import { dashboardRoutes } from './routes/get-dashboard.ts';
import { docsRoutes, notFound } from './routes/get-docs.ts';
import { type FrontDeps, frontRoute } from './routes/get-front.ts';
import { type LogDeps, logRoutes } from './routes/get-log.ts';
import { recordRoutes } from './routes/get-record.ts';
import { getRoot } from './routes/get-root.ts';
import type { OperatorDeps } from './routes/operator/deps.ts';
import { operatorRoutes } from './routes/operator/operator-routes.ts';
import { type ProxyApiDeps, proxyApi } from './routes/proxy-api.ts';
import { type ReportKeysDeps, reportKeysRoute } from './routes/report-keys.ts';
import { serveMcp } from './routes/serve-mcp.ts';
import { transportSecurity } from './routes/transport-security.ts';
import { type UnsubscribeDeps, unsubscribeRoute } from './routes/unsubscribe.ts';

export type AppDeps = ProxyApiDeps & {
  readonly log: Logger;
  readonly account: AccountDeps;
  readonly operator: OperatorDeps;
  readonly unsubscribe: UnsubscribeDeps;
  readonly publicLog: LogDeps;
  /** @throws {SigcastError} SERVICE_UNAVAILABLE while a service does not answer. */
  readonly readRecord: () => Promise<TrackRecord>;
  readonly front: FrontDeps;
  readonly reports: ReportKeysDeps;
  /** The built dashboard. Without it `/` answers where the documentation is. */
  readonly dashboard?: BuiltDashboard | undefined;
  /** The share of requests with a log line, for those that anybody can make in any number. */
  readonly accessLogShare?: number;
  /** The gateway's public URL, without a slash at its end. */
  readonly publicUrl?: string | undefined;
};

/** The gateway: the API's requests, and an application for all others. It never listens by itself. */
export function createApp(deps: AppDeps): { readonly app: Express; readonly direct: DirectRequests } {
  const strictTransport = transportSecurity(deps.trustProxy, deps.publicUrl);
  const followed = { isPublic: true, accessLogShare: deps.accessLogShare };
  const routeOf = ({ url }: { url: string }) => findApiRoute(pathOf(originForm(url)))?.template;
  const direct = {
    takes: ({ url = '' }) => isApiTarget(url),
    handle: handleDirectly(deps.log, { ...followed, routeOf }, proxyApi(deps, strictTransport)),
  };
  const app = createHttpApp(deps.log, followed);
  app.use((req, res, next) => {
    const value = strictTransport(req);
    if (value !== undefined) res.setHeader('Strict-Transport-Security', value);
    next();
  });
  app.use(helmet({ strictTransportSecurity: false }));
  const guides = openGuides(deps.publicUrl);
  if (deps.dashboard === undefined) resource(app, '/', { GET: getRoot });
  else {
    frontRoute(app, deps.front, guides, deps.publicUrl);
    dashboardRoutes(app, deps.dashboard);
  }
  docsRoutes(app, guides, deps.publicUrl);
  recordRoutes(app, deps.readRecord, guides, deps.publicUrl);
  resource(app, '/mcp', { POST: serveMcp(deps) });
  accountRoutes(app, deps.account);
  operatorRoutes(app, deps.operator);
  unsubscribeRoute(app, deps.unsubscribe);
  logRoutes(app, deps.publicLog);
  reportKeysRoute(app, deps.reports);
  if (deps.dashboard !== undefined) app.use(notFound(guides.notFound));
  return { app: finishApp(app, deps.log), direct };
}
