import { join } from 'node:path';
import { buildDashboard, ensureBrowser, startSystem } from '@sigcast/local';
import { testStack } from '@sigcast/testing';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { benchStores } from '../bench-stores.ts';
import { openAccess } from '../open-access.ts';
import { atMost, say } from '../report.ts';
import { median } from '../run-load.ts';
import { signalLines } from '../signal-lines.ts';
import { type Conditions, measureVisit, type VisitFigures } from './visit.ts';

const usualRounds = 5;
const signals = 200;
/** How much compressed script the first page may load, in bytes. */
const scriptBarBytes = 120_000;

const conditions: readonly Conditions[] = [
  { name: 'CPU 4 × slower', cpuSlowdown: 4, latencyMs: 0 },
  { name: 'CPU 4 × slower, each request 100 ms', cpuSlowdown: 4, latencyMs: 100 },
];

type Holder = { readonly email: string; readonly password: string };

type Visit = {
  readonly name: string;
  readonly path: string;
  readonly usable: (page: Page) => Promise<unknown>;
  /** Whose session the browser has; nobody's where it is left out. */
  readonly holder?: Holder;
};

/**
 * `bench first-page [ROUNDS [BUILD]]`: how long the dashboard takes until it can be used, in a browser that has none of its
 * files: for a stranger who signs up, and for a holder whose browser has a session. BUILD is the folder of another build to
 * measure instead.
 */
export async function benchFirstPage(
  scope: AsyncDisposableStack,
  [given = String(usualRounds), build]: readonly string[],
): Promise<void> {
  const rounds = Number(given);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error('bench first-page [ROUNDS [BUILD]]: a whole number from 1');
  const { browser, gatewayUrl } = await openBrowserAndSystem(scope, build);
  const beginner = await signUp(gatewayUrl, 'beginner@bench.example');
  const holder = await signUp(gatewayUrl, 'holder@bench.example', { withKey: true });
  const visits: readonly Visit[] = [
    {
      name: 'sign up',
      path: '/sign-up',
      usable: (page) => page.getByRole('button', { name: 'Create account' }).waitFor(),
    },
    {
      name: 'getting started',
      path: '/',
      holder: beginner,
      usable: (page) => page.getByRole('button', { name: 'Create API key' }).waitFor(),
    },
    {
      name: 'home: signals',
      path: '/',
      holder,
      usable: (page) =>
        Promise.all([
          page.getByRole('table', { name: 'Signals' }).waitFor(),
          page.getByRole('table', { name: 'By type' }).waitFor(),
        ]),
    },
  ];
  say(`${rounds} rounds; medians`);
  say(
    `${'page'.padEnd(18)}${'conditions'.padEnd(38)}${'usable ms'.padStart(10)}${'requests'.padStart(10)}` +
      `${'of the API'.padStart(12)}${'in a row'.padStart(10)}${'script B'.padStart(10)}`,
  );
  for (const visit of visits) {
    for (const line of conditions) report(visit, line, await measure(browser, gatewayUrl, visit, line));
  }

  async function measure(from: Browser, baseURL: string, visit: Visit, line: Conditions) {
    const figures: VisitFigures[] = [];
    let known = visit.holder && (await signedIn(from, baseURL, visit));
    // The first round warms up the system and the browser.
    for (let round = 0; round <= rounds; round += 1) {
      const context = await from.newContext({ baseURL, ...(known && { storageState: known }) });
      const one = await measureVisit(context, { ...visit, conditions: line });
      if (round > 0) figures.push(one);
      // Each refresh token can be used once, so the next round starts with the new one.
      if (known) known = await context.storageState();
      await context.close();
    }
    return figures;
  }

  function report(visit: Visit, line: Conditions, figures: readonly VisitFigures[]): void {
    const cell = (name: keyof VisitFigures, width: number) =>
      median(figures.map((one) => one[name]))
        .toFixed(0)
        .padStart(width);
    say(
      `${visit.name.padEnd(18)}${line.name.padEnd(38)}${cell('usableMs', 10)}${cell('requests', 10)}` +
        `${cell('apiRequests', 12)}${cell('depth', 10)}${cell('scriptBytes', 10)}`,
    );
    if (visit.holder !== undefined || line.latencyMs > 0) return;
    const bytes = median(figures.map(({ scriptBytes }) => scriptBytes));
    atMost('script of the first page, B', bytes, { bound: scriptBarBytes, digits: 0 });
  }
}

async function openBrowserAndSystem(scope: AsyncDisposableStack, build: string | undefined) {
  const { dataDir, backing } = await benchStores(scope);
  const logFile = join(dataDir, 'first-page.log');
  const executablePath = await ensureBrowser({ logFile, report: say });
  const dashboard = build ?? (await buildDashboard({ logFile, report: say }));
  const stores = scope.use(testStack(backing));
  for (const name of ['gateway', 'signals', 'stats', 'webhooks', 'tracker']) stores.database(name);
  const system = scope.use(
    await startSystem({
      stores,
      dataDir,
      report: () => undefined,
      overrides: { DASHBOARD_DIR: dashboard },
    }),
  );
  const { token } = await openAccess(system);
  const imported = await fetch(`${system.signalsUrl}/internal/v1/signals/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: [...signalLines(0, signals, { size: signals, days: 10 })].join(''),
  });
  if (!imported.ok) throw new Error(`import: ${imported.status} ${await imported.text()}`);
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  scope.defer(() => browser.close());
  // No visit waits for a rate limit.
  await system.operator(...['plan', 'set', 'standard', '--per-minute', '1000000', '--per-day', '1000000']);
  return { browser, gatewayUrl: system.gatewayUrl };
}

async function signUp(gatewayUrl: string, email: string, { withKey = false } = {}): Promise<Holder> {
  const holder = { email, password: 'correct horse battery' };
  const { access_token: token } = await post<{ access_token: string }>(gatewayUrl, '/account', holder);
  if (withKey) await post(gatewayUrl, '/account/keys', { name: 'bench' }, token);
  return holder;
}

async function post<T>(gatewayUrl: string, path: string, body: object, token?: string): Promise<T> {
  const answer = await fetch(gatewayUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

/** What a browser keeps of a holder who has signed in and seen the page. */
async function signedIn(
  browser: Browser,
  baseURL: string,
  { holder, usable }: Visit,
): ReturnType<BrowserContext['storageState']> {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail address').fill(holder?.email ?? '');
  await page.getByLabel('Password', { exact: true }).fill(holder?.password ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await usable(page);
  const state = await context.storageState();
  await context.close();
  return state;
}
