import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import type { TestSystem } from '../system.ts';
import { worker } from '../worker.ts';

/** How long a page may take to show what a test waits for, on a busy machine. */
const defaultTimeoutMs = 15_000;

/** A system that serves the dashboard, and a browser to look at it. */
export type DashboardWorld = {
  readonly system: TestSystem;
  /** Opens a browser profile without cookies, and collects what its console complains of. */
  visitor(options?: VisitorOptions): Promise<Visitor>;
};

export type VisitorOptions = {
  readonly colorScheme?: ColorScheme;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly javaScriptEnabled?: boolean;
  readonly timezoneId?: string;
  /** Whether pages have the address `localhost`, which passkeys can belong to. */
  readonly byName?: boolean;
};

export type Visitor = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** A further tab of the same browser. */
  tab(): Promise<Page>;
  /** Errors in the browser's console, what the page's policy forbade, and requests to other hosts; not requests that the API refused. */
  readonly complaints: string[];
};

let browser: Promise<Browser> | undefined;

/** Opens the worker's browser, which all files of the worker share, to look at a system. */
export async function dashboardWorld(system: TestSystem): Promise<DashboardWorld> {
  browser ??= launch();
  const opened = await browser;
  return { system, visitor: (options) => newVisitor(opened, system.gatewayUrl, options) };
}

async function launch(): Promise<Browser> {
  const logFile = join(tmpdir(), `sigcast-browser-${process.pid}.log`);
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const executablePath = await ensureBrowser({ logFile, report });
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const launched = await chromium.launch({ executablePath, args });
  worker.defer(() => launched.close());
  return launched;
}

let addresses = 0;

/** Headers of a client whose address no other has: the accounts that an address can make are limited. */
export function freshAddress(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` };
}

async function newVisitor(
  browser: Browser,
  address: string,
  { byName = false, ...options }: VisitorOptions = {},
): Promise<Visitor> {
  const baseURL = byName ? address.replace('127.0.0.1', 'localhost') : address;
  const context = await browser.newContext({
    baseURL,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    extraHTTPHeaders: freshAddress(),
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
    page.on('request', (request) => {
      const url = request.url();
      if (/^https?:/.test(url) && !url.startsWith(`${baseURL}/`)) complaints.push(`asked for ${url}`);
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
      const isAsked = document.getElementById('root') === null ? shown === undefined : shown === '${colorScheme}';
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

/** Copies until the page says so, which it does for so short a time that a busy machine may miss it. */
export async function copyUntil(copy: () => Promise<void>, said: Locator): Promise<void> {
  await eventually(async () => {
    await copy();
    await said.waitFor({ timeout: 1_000 });
  });
}

/** Answers that are held back until `release`. `read` resolves when the first of them has come. */
export type HeldAnswers = { readonly read: Promise<void>; release(): void };

/** Holds back the answers to requests that match. */
export async function holdAnswers(page: Page, pattern: string): Promise<HeldAnswers> {
  const [read, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(pattern, async (route) => {
    const response = await route.fetch();
    read.resolve();
    await held.promise;
    // The page may have given the request up.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return { read: read.promise, release: held.resolve };
}

/** Holds back every request that matches. @returns a function that lets them go. */
export async function hold(page: Page, pattern: string | RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}
