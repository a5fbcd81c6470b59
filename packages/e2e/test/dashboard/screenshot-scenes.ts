import type { Locator, Page, Route } from 'playwright-core';
import { heading } from './browser.ts';
import type { Person } from './people.ts';
import { picturePage, pictureResult } from './screenshot-backtest.ts';
import type { Cast } from './screenshot-people.ts';

/** Brings a page into the state of the picture. */
type Show = (page: Page) => Promise<unknown>;

/** Pictures by name, and the person who is signed in; undefined: nobody. */
export type Scene = { readonly as: Person | undefined; readonly shots: Readonly<Record<string, Show>> };

/** All pictures. */
export function scenesOf(cast: Cast): readonly Scene[] {
  return [
    { as: undefined, shots: strangerShots },
    { as: cast.holder, shots: pageShots(cast) },
    { as: cast.holder, shots: dialogShots(cast) },
    { as: cast.holder, shots: stateShots(cast) },
    { as: cast.newcomer, shots: emptyShots },
    {
      as: cast.beginner,
      shots: {
        'getting-started-failing': async (page) => {
          await page.goto('/getting-started');
          await page.getByText('1 attempt failed').waitFor();
        },
      },
    },
    { as: cast.operator, shots: operatorShots(cast) },
  ];
}

const at =
  (path: string): Show =>
  (page) =>
    page.goto(path);

const strangerShots = {
  front: at('/'),
  'sign-up': at('/sign-up'),
  'sign-in': at('/sign-in'),
  'sign-in-refused': async (page: Page) => {
    await page.goto('/sign-in');
    await page.getByLabel('E-mail address').fill('nobody@example.test');
    await page.getByLabel('Password', { exact: true }).fill('not this one at all');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
  },
};

function pageShots({ webhooks, signal, backtest }: Cast): Record<string, Show> {
  return {
    'getting-started': at('/getting-started'),
    signals: at('/signals'),
    'signals-sorted': at('/signals?sort=roi&type=new,wallet&from=2026-01-01'),
    signal: at(`/signals/${signal}`),
    'signal-history': async (page) => {
      await page.goto(`/signals/${signal}`);
      const history = page.getByRole('region', { name: 'History', exact: true });
      await history.scrollIntoViewIfNeeded();
      await history.getByText(/in figures$/).click();
      await history.getByRole('table').waitFor();
    },
    'signal-deliveries': async (page) => {
      await page.goto(`/signals/${signal}`);
      const sent = page.getByRole('region', { name: 'Deliveries' });
      await sent.scrollIntoViewIfNeeded();
      await sent.getByRole('table').waitFor();
    },
    events: at('/events'),
    backtests: at('/backtests'),
    'backtests-new': at('/backtests/new'),
    'backtests-like': at(`/backtests/new?like=${backtest}`),
    'backtest-nothing-bought': at(`/backtests/${backtest}`),
    ...Object.fromEntries(
      Object.entries({
        result: { status: 'completed', result: pictureResult() },
        running: { status: 'running', result: null, progress: { done: 173, total: 420 } },
        failed: { status: 'failed', result: null, error: 'The work stopped three times before it was done' },
      }).map(([name, changes]) => [`backtest-${name}`, backtestWith(backtest, changes)]),
    ),
    webhooks: at('/webhooks'),
    webhook: at(`/webhooks/${webhooks.flaky}`),
    'webhook-failing': at(`/webhooks/${webhooks.failing}`),
    'webhook-hanging': at(`/webhooks/${webhooks.hanging}`),
    'webhook-refused': at(`/webhooks/${webhooks.refused}`),
    'webhook-paused': at(`/webhooks/${webhooks.paused}`),
    'webhook-filtered': at(`/webhooks/${webhooks.failing}?status=delivered&http_status=500`),
    ...Object.fromEntries(
      (['flaky', 'failing', 'hanging', 'refused'] as const).map((kind) => [
        `delivery-${kind}`,
        (page: Page) => openDelivery(page, webhooks[kind]),
      ]),
    ),
    'delivery-end': async (page) => {
      const panel = await openDelivery(page, webhooks.failing);
      await panel.getByRole('region', { name: 'Request body' }).scrollIntoViewIfNeeded();
    },
    usage: at('/usage'),
    'usage-today': at('/usage?days=1'),
    requests: at('/requests'),
    profile: at('/profile'),
    'api-settings': at('/profile/api'),
    definitions: at('/definitions#win-rate'),
  };
}

/** Shows a backtest with changes in the API's answer. */
function backtestWith(id: string, changes: object): Show {
  return async (page) => {
    await page.route(`**/v1/backtests/${id}`, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: object };
      await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, ...changes } } });
    });
    await page.route(`**/v1/backtests/${id}/trades?*`, (route) =>
      route.fulfill({ json: picturePage(route.request().url()) }),
    );
    await page.goto(`/backtests/${id}`);
    await page.getByRole('region', { name: 'Parameters' }).waitFor();
    const curve = page.getByRole('region', { name: 'Equity and drawdown', exact: true });
    if (!(await curve.isVisible())) return;
    await curve.scrollIntoViewIfNeeded();
    await curve.locator('svg').first().waitFor();
  };
}

async function openDelivery(page: Page, webhook: string): Promise<Locator> {
  await page.goto(`/webhooks/${webhook}`);
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').last().click();
  const panel = page.getByRole('dialog');
  const attempts = panel.getByRole('region', { name: /^Attempt \d/ });
  await attempts.first().waitFor();
  return panel;
}

function dialogShots({ webhooks }: Cast): Record<string, Show> {
  const opened =
    (path: string, ...names: string[]): Show =>
    async (page) => {
      await page.goto(path);
      for (const name of names) {
        await page.getByRole('button', { name }).or(page.getByRole('menuitem', { name })).first().click();
      }
      await page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor();
    };
  const webhook = `/webhooks/${webhooks.flaky}`;
  return {
    'dialog-create-key': opened('/profile/api', 'Create API key'),
    'dialog-rotate-key': opened('/profile/api', 'Rotate Trading bot'),
    'dialog-revoke-key': opened('/profile/api', 'Revoke Trading bot'),
    'dialog-secret': async (page) => {
      // A fake answer, so that taking the picture at each width does not create keys.
      const made = { success: true, data: { key: `sk_live_${'Ab3dEf6hIj9'.repeat(3)}` } };
      await page.route('**/account/keys', (route) =>
        route.request().method() === 'POST' ? route.fulfill({ status: 201, json: made }) : route.continue(),
      );
      await opened('/profile/api', 'Create API key')(page);
      await page.getByRole('dialog').getByLabel('Name').fill('Another bot');
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).waitFor();
    },
    'dialog-field-error': async (page) => {
      await opened('/webhooks', 'Add webhook')(page);
      await page.getByLabel('Address').fill('example');
      await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
      await page.locator('[aria-invalid=true]').first().waitFor();
    },
    'dialog-delete-backtest': opened('/backtests', 'Delete the backtest of'),
    'backtests-field-error': async (page) => {
      await page.goto('/backtests/new');
      await page.getByLabel('Target', { exact: true }).fill('0.5');
      await page.getByRole('button', { name: 'Start backtest' }).click();
      await page.locator('[aria-invalid=true]').first().waitFor();
    },
    'dialog-add-webhook': opened('/webhooks', 'Add webhook'),
    'dialog-add-telegram': async (page) => {
      await opened('/webhooks', 'Add webhook')(page);
      await page.getByRole('dialog').getByText('Telegram', { exact: true }).click();
      await page.getByRole('dialog').getByLabel('Bot token').waitFor();
    },
    'dialog-conditions': async (page) => {
      await opened('/webhooks', 'Add webhook')(page);
      const dialog = page.getByRole('dialog');
      for (const [n, path] of ['metrics.mcap_entry', 'token.chain'].entries()) {
        await dialog.getByRole('button', { name: 'Add condition' }).click();
        await dialog.getByLabel(`Condition ${n + 1}: field`).fill(path);
        await page.getByRole('option', { name: path, exact: true }).click();
      }
      await dialog.getByLabel('Condition 1: value').fill('50000');
      await dialog.getByLabel('Condition 2: value').fill('solana');
      await dialog.getByText(/meets? these conditions|no such events/).scrollIntoViewIfNeeded();
    },
    'dialog-edit-webhook': opened(webhook, 'More actions', 'Edit'),
    'dialog-rotate-secret': opened(webhook, 'More actions', 'Rotate secret'),
    'dialog-recover': opened(webhook, 'More actions', 'Recover missed events'),
    'dialog-delete-webhook': opened(webhook, 'More actions', 'Delete'),
    'menu-webhook': opened(webhook, 'More actions'),
    'menu-account': async (page) => {
      await page.goto('/definitions');
      await heading(page, 'How figures are defined').waitFor();
      const panel = page.getByRole('button', { name: 'Open the menu' });
      if (await panel.isVisible()) await panel.click();
      await page
        .getByRole('button', { name: /@example\.test/ })
        .and(page.locator(':visible'))
        .click();
      await page.getByRole('menu').waitFor();
    },
  };
}

/** The paths of requests for data. */
const api = /\/v1\/|\/account\/(keys|usage|requests|operator)/;

const broken = {
  success: false,
  error: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side' },
};
/** The answer when the dashboard's limit of the minute is used up. */
const limited = {
  success: false,
  error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Over the limit; try again in 42 s', retry_after: 42 },
};
const unauthorized = { success: false, error: { code: 'UNAUTHORIZED', message: 'The session has ended' } };

function stateShots({ webhooks, signal, backtest }: Cast): Record<string, Show> {
  const paths = {
    'getting-started': '/getting-started',
    signals: '/signals',
    signal: `/signals/${signal}`,
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhooks.flaky}`,
    events: '/events',
    usage: '/usage',
    requests: '/requests',
    'api-settings': '/profile/api',
    backtests: '/backtests',
    backtest: `/backtests/${backtest}`,
  };
  const each = (state: string, show: (page: Page, path: string) => Promise<unknown>) =>
    Object.fromEntries(
      Object.entries(paths).map(([name, path]) => [`${state}-${name}`, (page: Page) => show(page, path)]),
    );
  return {
    ...each('loading', async (page, path) => {
      await page.route(api, () => new Promise(() => undefined));
      await page.goto(path);
      await page.getByLabel('Loading', { exact: true }).first().waitFor();
    }),
    ...each('error', async (page, path) => {
      await page.route(api, (route) => route.fulfill({ status: 500, json: broken }));
      await page.goto(path);
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    }),
    'limited-new': async (page) => {
      await page.goto('/webhooks');
      const link = page.getByRole('link', { name: /flaky/ }).first();
      await link.waitFor();
      await page.route(api, refuse);
      await link.click();
      await page.getByText('Too many requests.').waitFor();
    },
    'limited-kept': async (page) => {
      await page.goto('/webhooks');
      await page.getByRole('link', { name: /flaky/ }).first().waitFor();
      await page.route(api, refuse);
      await follow(page, 'Signals');
      await page.getByText('Too many requests.').waitFor();
      await follow(page, 'Webhooks');
      await page.getByRole('link', { name: /flaky/ }).first().waitFor();
    },
    'limited-day': async (page) => {
      const message = 'Over the dashboard’s limit of 10000 requests a day; try again in 8 h 20 min';
      const error = { ...limited.error, message, retry_after: 30_000 };
      await page.route(api, (route) => route.fulfill({ status: 429, json: { success: false, error } }));
      await page.goto('/webhooks');
      await page.getByText('try again after').waitFor();
    },
    'offline-kept': async (page) => {
      await page.goto('/signals');
      await page.getByText('By type, and what could be realized').waitFor();
      await page.route('**/*', (route) => route.abort('connectionrefused'));
      await follow(page, 'Usage');
      await page.getByText('Sigcast cannot be reached').waitFor();
      await follow(page, 'Signals');
    },
    'offline-new': async (page) => {
      await page.goto('/signals');
      await page.getByText('By type, and what could be realized').waitFor();
      await page.route('**/*', (route) => route.abort('connectionrefused'));
      await follow(page, 'Usage');
      await page.getByText('Sigcast cannot be reached').waitFor();
    },
    'offline-start': async (page) => {
      await page.route(/\/account/, (route) => route.abort('connectionrefused'));
      await page.route('**/openapi.json', (route) => route.abort('connectionrefused'));
      await page.goto('/definitions');
      await page.evaluate('sessionStorage.clear()');
      await page.reload();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    },
    'not-found-page': at('/nowhere/at/all'),
    'not-found-signal': at('/signals/sig_00000000000000000000000000'),
    'not-found-backtest': at('/backtests/bt_nothing'),
    'not-found-webhook': at('/webhooks/wh_nothing'),
    'not-found-delivery': async (page) => {
      await page.goto(`/webhooks/${webhooks.flaky}?delivery=dlv_nothing`);
      await page.getByRole('dialog').getByRole('alert').waitFor();
    },
    // Last, because it ends the browser's session.
    'session-ended': async (page) => {
      await page.route(api, (route) => route.fulfill({ status: 401, json: unauthorized }));
      await page.route('**/account/session/refresh', (route) =>
        route.fulfill({ status: 401, json: unauthorized }),
      );
      await page.goto('/webhooks');
      await page.getByText('Your session has ended').waitFor();
    },
  };
}

const refuse = (route: Route) => route.fulfill({ status: 429, json: limited });

/** Follows a link of the navigation, which on a phone is in a panel. */
async function follow(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open the menu' });
  if (await menu.isVisible()) {
    await menu.click();
    await page.getByRole('dialog').getByRole('link', { name }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  } else {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  }
}

const nothing = { success: true, data: [], meta: { total: 0, page: 1, per_page: 20, total_pages: 0 } };

const emptyShots: Record<string, Show> = {
  'empty-getting-started': at('/getting-started'),
  'empty-signals': async (page) => {
    await page.route(/\/v1\/signals\?/, (route) => route.fulfill({ json: nothing }));
    await page.goto('/signals');
    await page.getByText('No signals yet').waitFor();
  },
  'empty-signals-filtered': at('/signals?search=nothing&status=rugged'),
  'empty-backtests': at('/backtests'),
  'empty-webhooks': at('/webhooks'),
  'empty-usage': at('/usage'),
  'empty-requests': at('/requests'),
  'empty-api-settings': at('/profile/api'),
};

function operatorShots({ holder }: Cast): Record<string, Show> {
  const account = `/operator/accounts/${holder.account}`;
  const asked =
    (name: string): Show =>
    async (page) => {
      await page.goto(account);
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
    };
  return {
    'operator-accounts': at('/operator'),
    'operator-account': at(account),
    'operator-webhooks': at('/operator/webhooks'),
    'operator-system': at('/operator/system'),
    'operator-log': at('/operator/log'),
    'operator-empty': at('/operator?q=nobody'),
    'operator-suspend': asked('Suspend account'),
    'operator-plan': asked('Change plan'),
    'operator-not-found': at('/operator/accounts/acct_nothing'),
    'operator-loading': async (page) => {
      await page.route(api, () => new Promise(() => undefined));
      await page.goto('/operator');
      await page.getByLabel('Loading', { exact: true }).first().waitFor();
    },
    'operator-error': async (page) => {
      await page.route(api, (route) => route.fulfill({ status: 500, json: broken }));
      await page.goto('/operator/system');
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    },
  };
}
