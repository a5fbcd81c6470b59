/**
 * Every path that is a page, as patterns. The build hands the list to the gateway, which serves the page at these
 * paths and nowhere else, so nothing of the dashboard hides a path of the API.
 */
export const pages = [
  '/home',
  '/sign-in',
  '/sign-up',
  '/sign-up/confirm',
  '/forgot-password',
  '/reset',
  '/confirm',
  '/getting-started',
  '/signals',
  '/signals/:id',
  '/backtests',
  '/backtests/:id',
  '/webhooks',
  '/webhooks/:id',
  '/usage',
  '/requests',
  '/profile',
  '/profile/api',
  '/profile/audit',
  '/profile/members',
  '/invitation',
  '/profile/security',
  '/definitions',
  '/operator',
  '/operator/accounts/:id',
  '/operator/webhooks',
  '/operator/system',
  '/operator/log',
] as const;
