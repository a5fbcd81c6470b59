import type { ComponentType } from 'react';

/** Loads a page's file. */
type PageFile = () => Promise<{ readonly default: ComponentType }>;

/** Each page is a file of its own, so that a browser loads only the pages that are opened. */
export const pageFiles: Readonly<Record<string, PageFile>> = {
  '/getting-started': () => import('./getting-started/getting-started-page.tsx'),
  '/signals': () => import('./signals/signals-page.tsx'),
  '/signals/:id': () => import('./signals/signal-page.tsx'),
  '/events': () => import('./events/events-page.tsx'),
  '/backtests': () => import('./backtests/backtests-page.tsx'),
  '/backtests/new': () => import('./backtests/new-backtest-page.tsx'),
  '/backtests/:id': () => import('./backtests/backtest-page.tsx'),
  '/webhooks': () => import('./webhooks/webhooks-page.tsx'),
  '/webhooks/:id': () => import('./webhooks/webhook-page.tsx'),
  '/usage': () => import('./usage/usage-page.tsx'),
  '/requests': () => import('./requests/requests-page.tsx'),
  '/profile': () => import('./profile/profile-page.tsx'),
  '/profile/api': () => import('./profile/api-settings-page.tsx'),
  '/profile/security': () => import('./profile/security/security-page.tsx'),
  '/profile/audit': () => import('./profile/audit-page.tsx'),
  '/profile/members': () => import('./members/members-page.tsx'),
  '/confirm': () => import('./entry/confirm-email-page.tsx'),
  '/invitation': () => import('./members/invitation-page.tsx'),
  '/definitions': () => import('./definitions/definitions-page.tsx'),
  '/operator/*?': () => import('./operator/operator-pages.tsx'),
};
