export * from './account-events.ts';
export * from './account-roles.ts';
export * from './bucket-start.ts';
export { type Field, operatorsOf } from './conditions/fields.ts';
export { matcherOf, textPattern } from './conditions/matcher.ts';
export type { Condition, Conditions } from './conditions/read-conditions.ts';
export {
  conditionsText,
  creationConditionFields,
  eventConditionFields,
  type Filter,
  matcherOfFilter,
  maxFilterBytes,
  signalConditionFields,
} from './conditions/signal-conditions.ts';
export * from './csv-line.ts';
export * from './envelope.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './idempotency.ts';
export * from './identity.ts';
export * from './ingest.ts';
export * from './instant.ts';
export * from './latency-classes.ts';
export * from './list-page.ts';
export { accountOperations } from './openapi/account-operations.ts';
export { apiOperations } from './openapi/api-operations.ts';
export { apiTags, openApiDocument } from './openapi/document.ts';
export type { ApiOperation, Operation } from './openapi/operation.ts';
export { methodsOf, type OperationOf, operationsOf, templateOf } from './openapi/operations-of.ts';
export { asOfName } from './openapi/parameters.ts';
export { errorMeanings } from './openapi/responses.ts';
export { type ApiTool, apiTools, requestOf, type ToolRequest } from './openapi/tools.ts';
export * from './operator.ts';
export * from './page-cursor.ts';
export * from './queries.ts';
export { maxPagedRows } from './query-parameters.ts';
export * from './resources/account.ts';
export * from './resources/account-export.ts';
export * from './resources/account-recovery.ts';
export * from './resources/audit.ts';
export * from './resources/backtest.ts';
export * from './resources/deliveries.ts';
export * from './resources/event-feed.ts';
export * from './resources/factors.ts';
export * from './resources/history.ts';
export * from './resources/members.ts';
export * from './resources/origin.ts';
export * from './resources/outcome.ts';
export * from './resources/passkeys.ts';
export * from './resources/proof.ts';
export * from './resources/realizable.ts';
export * from './resources/request-log.ts';
export * from './resources/signal.ts';
export * from './resources/statistics.ts';
export * from './resources/webhooks.ts';
export * from './revisions.ts';
export * from './rounding.ts';
export { sampleOf } from './sample.ts';
export * from './scopes.ts';
export * from './service.ts';
export * from './system-state.ts';
export { testPayload } from './test-event.ts';
export * from './text.ts';
export * from './token-keys.ts';
export * from './topology.ts';
export * from './version.ts';
export * from './webhook-notices.ts';
