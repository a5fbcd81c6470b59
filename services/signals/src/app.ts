import {
  operationsOf,
  SigcastError,
  type SignalsState,
  signalsReadScope,
  signalsWriteScope,
  systemReadScope,
} from '@sigcast/contracts';
import {
  createApp as createHttpApp,
  finishApp,
  type HealthChecks,
  healthRoutes,
  type IdentityVerifier,
  requireGatewayIdentity,
  requireScope,
  resource,
  serveOperations,
} from '@sigcast/http';
import type { Logger } from '@sigcast/runtime';
import type { Express, RequestHandler } from 'express';
import type { WriteDeps } from './domain/ports.ts';
import { createSignalRoute } from './routes/create-signal.ts';
import { getState } from './routes/get-state.ts';
import { importSignalsRoute } from './routes/import-signals.ts';
import { getRevisionRoute, listRevisionsRoute } from './routes/list-revisions.ts';
import { observeSignalsRoute } from './routes/observe-signals.ts';
import { patchSignalRoute } from './routes/patch-signal.ts';
import { signalHandlers } from './routes/signals.ts';

export type AppDeps = WriteDeps & {
  readonly log: Logger;
  readonly accessLogShare?: number;
  readonly verifyGateway: IdentityVerifier;
  readonly verifyOperator: IdentityVerifier;
  /** Whether an operator has revoked the service token with this id. */
  readonly isRevoked: (tokenId: string) => boolean;
  /** The state of the outbox and of the event queues, for operators. */
  readonly systemState: () => Promise<SignalsState>;
  /** Without these the service is not ready. */
  readonly checks: HealthChecks;
  /** Shown in the readiness; without these the service stays ready. */
  readonly reportedChecks: HealthChecks;
};

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  const app = createHttpApp(deps.log, { accessLogShare: deps.accessLogShare });
  app.use('/v1', requireGatewayIdentity(deps.verifyGateway));
  serveOperations(app, operationsOf('signals'), signalHandlers(deps.store));

  const requireUnrevoked = ({ tokenId }: { readonly tokenId?: string }) => {
    if (tokenId !== undefined && deps.isRevoked(tokenId)) {
      throw new SigcastError('UNAUTHORIZED', 'The service token is revoked; an operator can make another');
    }
  };
  const verifyToken: IdentityVerifier = (token) => {
    const identity = deps.verifyOperator(token);
    requireUnrevoked(identity);
    return identity;
  };
  const producer = requireScope(verifyToken, signalsWriteScope);
  const reader = requireScope(verifyToken, signalsReadScope);
  resource(app, '/internal/v1/signals', {
    GET: [reader, listRevisionsRoute(deps.store)],
    POST: [producer, createSignalRoute(deps)],
  });
  // Before the path with an id, which matches these paths as well.
  resource(app, '/internal/v1/signals/import', {
    POST: [producer, importSignalsRoute(deps, requireUnrevoked)],
  });
  resource(app, '/internal/v1/signals/observations', {
    POST: [producer, observeSignalsRoute(deps)],
  });
  resource(app, '/internal/v1/signals/:id', {
    GET: [reader, getRevisionRoute(deps.store) as RequestHandler],
    PATCH: [producer, patchSignalRoute(deps) as RequestHandler],
  });
  resource(app, '/internal/v1/state', {
    GET: [requireScope(deps.verifyGateway, systemReadScope), getState(deps.systemState)],
  });
  healthRoutes(app, { checks: deps.checks, reportedChecks: deps.reportedChecks });
  return finishApp(app, deps.log);
}
