import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDashboard, ensureBrowser } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { type TestSystem, testSystem } from '../system.ts';

/** How long a page may take to show what a test waits for, on a busy machine. */
const defaultTimeoutMs = 15_000;

/** The whole system with the dashboard in it, and a browser to look at it. */
export type DashboardWorld = AsyncDisposable & {
  readonly system: TestSystem;
  /** Opens a browser profile without cookies, and collects what its console complains of. */
  visitor(options?: VisitorOptions): Promise<Visitor>;
};

export type VisitorOptions = {
  readonly colorScheme?: ColorScheme;
  readonly viewport?: { readonly width: number; readonly height: number };
};

export type Visitor = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** A further tab of the same browser. */
  tab(): Promise<Page>;
  /** Errors in the browser's console, and what the page's policy forbade; not requests that the API refused. */
  readonly complaints: string[];
};

/** Builds the dashboard, and starts the system and a browser. */
export async function dashboardWorld(
  overrides: Readonly<Record<string, string>> = {},
): Promise<DashboardWorld> {
  const resources = new AsyncDisposableStack();
  const logFile = join(tmpdir(), `sigcast-dashboard-${process.pid}.log`);
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const executablePath = await ensureBrowser({ logFile, report });
  const dashboard = await buildDashboard({ logFile, report: () => undefined });
  const system = await testSystem({ DASHBOARD_DIR: dashboard, ...overrides });
  resources.use(system);
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  resources.defer(() => browser.close());
  return {
    system,
    visitor: (options) => newVisitor(browser, system.gatewayUrl, options),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function newVisitor(browser: Browser, baseURL: string, options: VisitorOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(defaultTimeoutMs);
  const complaints: string[] = [];
  const tab = async () => {
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      const refused = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !refused) complaints.push(message.text());
    });
    return page;
  };
  return { context, page: await tab(), tab, complaints };
}

/** A page's main heading. */
export function heading(page: Page, name: string): Locator {
  return page.getByRole('heading', { level: 1, name });
}

export const colorSchemes = ['light', 'dark'] as const;
export type ColorScheme = (typeof colorSchemes)[number];

/**
 * Shows an open page of the dashboard or the documentation in light or dark colours, as when a person's system changes them.
 * Resolves when it has them.
 */
export async function showIn(page: Page, colorScheme: ColorScheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // By the debugger, each time: a page's content security policy forbids functions that wait in the page.
  await eventually(async () => {
    const isShown = await page.evaluate<boolean>(`(() => {
      const shown = document.documentElement.dataset.mantineColorScheme;
      const isAsked = location.pathname.startsWith('/docs') ? shown === undefined : shown === '${colorScheme}';
      return isAsked && !document.getAnimations().some((animation) => animation instanceof CSSTransition);
    })()`);
    if (!isShown) throw new Error(`${page.url()} has no ${colorScheme} colours yet, or they still change`);
  });
}

/** How much wider than its window a page is, in pixels; 0 or less when nothing scrolls sideways. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

/** What can be read in an element, once it is there. */
export async function textOf(element: Locator): Promise<string> {
  await element.waitFor();
  return (await element.allInnerTexts()).join('\n');
}
