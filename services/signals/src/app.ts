import { type SignalsState, signalsReadScope, signalsWriteScope, systemReadScope } from '@sigcast/contracts';
import {
  createApp as createHttpApp,
  finishApp,
  type HealthChecks,
  healthRoutes,
  type IdentityVerifier,
  jsonBody,
  requireGatewayIdentity,
  requireScope,
  resource,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express, RequestHandler } from 'express';
import type { WriteDeps } from './domain/ports.ts';
import { createSignalRoute } from './routes/create-signal.ts';
import { getSignalRoute } from './routes/get-signal.ts';
import { getState } from './routes/get-state.ts';
import { importSignalsRoute } from './routes/import-signals.ts';
import { getRevisionRoute, listRevisionsRoute } from './routes/list-revisions.ts';
import { listSignalsRoute } from './routes/list-signals.ts';
import { patchSignalRoute } from './routes/patch-signal.ts';

export type AppDeps = WriteDeps & {
  readonly log: Logger;
  readonly accessLogShare?: number;
  readonly verifyGateway: IdentityVerifier;
  readonly verifyOperator: IdentityVerifier;
  /** What operators are told of the outbox and the queues of events. */
  readonly systemState: () => Promise<SignalsState>;
  /** What the service can't serve without. */
  readonly checks: HealthChecks;
  /** What it does without for a while: reported, but it stays ready. */
  readonly reportedChecks: HealthChecks;
};

/** The service's HTTP application. Never listens. */
export function createApp(deps: AppDeps): Express {
  const app = createHttpApp(deps.log, { accessLogShare: deps.accessLogShare });
  const account = requireGatewayIdentity(deps.verifyGateway);
  resource(app, '/v1/signals', { GET: [account, listSignalsRoute(deps.store)] });
  resource(app, '/v1/signals/:id', { GET: [account, getSignalRoute(deps.store) as RequestHandler] });

  const producer = requireScope(deps.verifyOperator, signalsWriteScope);
  const reader = requireScope(deps.verifyOperator, signalsReadScope);
  resource(app, '/internal/v1/signals', {
    GET: [reader, listRevisionsRoute(deps.store)],
    POST: [producer, ...jsonBody, createSignalRoute(deps)],
  });
  // Before the path with an id, which would take it too.
  resource(app, '/internal/v1/signals/import', { POST: [producer, importSignalsRoute(deps)] });
  resource(app, '/internal/v1/signals/:id', {
    GET: [reader, getRevisionRoute(deps.store) as RequestHandler],
    PATCH: [producer, ...jsonBody, patchSignalRoute(deps) as RequestHandler],
  });
  resource(app, '/internal/v1/state', {
    GET: [requireScope(deps.verifyGateway, systemReadScope), getState(deps.systemState)],
  });
  healthRoutes(app, deps.checks, deps.reportedChecks);
  return finishApp(app, deps.log);
}
