export { createApp, requestIdOf } from './app.ts';
export { announcesBody, type BodyLimits, maxBodyBytes, readBody } from './body.ts';
export * from './byte-budget.ts';
export { type DirectRequests, handleDirectly } from './direct.ts';
export * from './entity-tag.ts';
export { failureBody, finishApp, sendError } from './errors.ts';
export { noteCaller, type RequestCaller } from './follow-request.ts';
export { type Health, type HealthChecks, healthRoutes, probesApp, runChecks } from './health.ts';
export * from './http-metrics.ts';
export { idempotencyHeader, idempotencyOf } from './idempotency-header.ts';
export {
  type IdentitySigner,
  type IdentityVerifier,
  identityOf,
  identitySigner,
  identityVerifier,
  publicKeyOf,
  requireGatewayIdentity,
  requireScope,
} from './identity.ts';
export { issueDetails } from './issues.ts';
export * from './metrics.ts';
export * from './page-links.ts';
export * from './respond.ts';
export { retryAfterMs } from './retry-after.ts';
export * from './routes.ts';
export * from './run-program.ts';
export * from './serve.ts';
export * from './serve-operations.ts';
export * from './service-app.ts';
export * from './validate.ts';
