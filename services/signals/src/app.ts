import {
  operationsOf,
  SigcastError,
  type SignalsState,
  signalsReadScope,
  signalsWriteScope,
} from '@sigcast/contracts';
import {
  type IdentityVerifier,
  requireScope,
  resource,
  type ServiceAppDeps,
  serveOperations,
  serviceApp,
} from '@sigcast/http';
import type { Express, RequestHandler } from 'express';
import type { WriteDeps } from './domain/ports.ts';
import { createSignalRoute } from './routes/create-signal.ts';
import { importSignalsRoute } from './routes/import-signals.ts';
import { getRevisionRoute, listRevisionsRoute } from './routes/list-revisions.ts';
import { observeSignalsRoute } from './routes/observe-signals.ts';
import { patchSignalRoute } from './routes/patch-signal.ts';
import { signalHandlers } from './routes/signals.ts';

export type AppDeps = ServiceAppDeps &
  WriteDeps & {
    readonly verifyOperator: IdentityVerifier;
    /** Whether an operator has revoked the service token with this id. */
    readonly isRevoked: (tokenId: string) => boolean;
    /** Notes that a service token is used. Must return at once. */
    readonly noteToken: (token: {
      id: string;
      subject: string;
      scopes: readonly string[];
      expiresAt: Date;
    }) => void;
    /** The state of the outbox and of the event queues, for operators. */
    readonly systemState: () => Promise<SignalsState>;
  };

/** The service's HTTP application, not listening. */
export function createApp(deps: AppDeps): Express {
  const requireUnrevoked = ({ tokenId }: { readonly tokenId?: string }) => {
    if (tokenId !== undefined && deps.isRevoked(tokenId)) {
      throw new SigcastError('UNAUTHORIZED', 'The service token is revoked; an operator can make another');
    }
  };
  const verifyToken: IdentityVerifier = (token) => {
    const identity = deps.verifyOperator(token);
    requireUnrevoked(identity);
    const { tokenId: id, subject, scopes, expiresAt } = identity;
    if (id !== undefined) deps.noteToken({ id, subject, scopes, expiresAt });
    return identity;
  };
  const producer = requireScope(verifyToken, signalsWriteScope);
  const reader = requireScope(verifyToken, signalsReadScope);
  return serviceApp(deps, (app) => {
    serveOperations(app, operationsOf('signals'), signalHandlers(deps.store));
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
  });
}
