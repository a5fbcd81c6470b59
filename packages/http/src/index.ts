export * from './app.ts';
export * from './entity-tag.ts';
export * from './errors.ts';
export {
  expressRoute,
  type FollowOptions,
  noteCaller,
  type RequestCaller,
} from './follow-request.ts';
export * from './health.ts';
export * from './http-metrics.ts';
export * from './identity.ts';
export { issueDetails, plainMessage } from './issues.ts';
export * from './metrics.ts';
export * from './page-links.ts';
export * from './respond.ts';
export * from './routes.ts';
export * from './serve.ts';
export * from './validate.ts';
