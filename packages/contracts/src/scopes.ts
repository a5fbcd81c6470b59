/** What an API key may be used for, each with what it allows, as people read it. A key without scopes may be used for all. */
export const apiScopes = {
  'signals:read': 'Read signals, their details and history, and try filters',
  'stats:read': 'Read statistics',
  'backtests:write': 'Make, read and delete backtests',
  'webhooks:read': 'Read webhooks and their deliveries',
  'webhooks:write': 'Make, change, test and delete webhooks, and send deliveries again',
  'events:read': 'Read events, as a list and as a stream',
} as const;

export type ApiScope = keyof typeof apiScopes;

/** The scopes, in the order in which they are shown. */
export const apiScopeNames = Object.keys(apiScopes) as [ApiScope, ...ApiScope[]];
