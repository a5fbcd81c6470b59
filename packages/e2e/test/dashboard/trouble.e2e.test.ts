import { once } from 'node:events';
import { connectRedis } from '@sigcast/redis';
import { silentLogger } from '@sigcast/runtime';
import { dayHookMs, eventually, untilDayLasts } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { heading, textOf } from './browser.ts';
import { createKey, type Person, signUp, statusWith } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

/** Counts how often a tab loads a page from now on. */
function countLoads(page: Page): () => number {
  let loads = 0;
  // Counted when it is requested, which is before the page requests its files.
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads += 1;
  });
  return () => loads;
}

/** Sets the windows in which the dashboard's requests of an account are counted: their counts and ends. */
async function setWindows({ account }: Person, fields: Readonly<Record<string, number>>): Promise<void> {
  const { redisUrl: url, redisKeyPrefix: keyPrefix } = world.system.stack;
  await using resources = new AsyncDisposableStack();
  const redis = connectRedis({ url, keyPrefix, timeoutMs: 5_000 }, silentLogger(), resources);
  await once(redis, 'ready');
  await redis.hset(`{${account}}:session-windows`, fields);
}

describe('when the dashboard’s limit of the minute is used up', () => {
  it('every page counts down to its next try, keeps what it shows, and goes on by itself', async () => {
    const { page } = await world.visitor();
    const person = await signUp(page);
    const key = await createKey(page, 'Unharmed');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    // A window that ends by itself: the gateway repeats a refusal while it asks the store, so one ended early frees some requests only.
    const endsMs = Date.now() + 30_000;
    await setWindows(person, { m: 120, me: endsMs });

    await page.getByRole('link', { name: 'Signals' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Too many requests.' });
    const secondsLeft = async () => Number(/in (\d+) s\./.exec(await textOf(notice.getByRole('timer')))?.[1]);
    const first = await secondsLeft();
    expect(first).toBeLessThanOrEqual(30);
    await eventually(async () => expect(await secondsLeft()).toBeLessThan(first));
    expect(await notice.count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await textOf(notice)).toMatch(/^Too many requests\. Trying again in \d+ s\.$/);
    expect(await statusWith(world.system, key)).toBe(200);

    await page.getByRole('link', { name: 'Signals' }).click();
    await page.getByText('By type, and what could be realized').waitFor({ timeout: 60_000 });
    expect(Date.now()).toBeGreaterThanOrEqual(endsMs);
    await notice.waitFor({ state: 'hidden' });
  });
});

describe('when the dashboard’s limit of the day is used up', () => {
  beforeEach(() => untilDayLasts(), dayHookMs);

  it('a page says at once until when, and keeps what was loaded before', async () => {
    const { page } = await world.visitor();
    const person = await signUp(page);
    await page.clock.install();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await setWindows(person, { d: 10_000 });

    await page.getByRole('link', { name: 'API settings' }).click();
    await heading(page, 'API settings').waitFor();
    await page.clock.fastForward('00:10');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('Not up to date').waitFor();
    await page.getByText('No webhooks yet').waitFor();

    await page.reload();
    const said = await textOf(page.getByRole('alert'));
    expect(said).toMatch(/^Over the dashboard’s limit of 10000 requests a day; try again after .+:/);
  });
});

describe('without a connection', () => {
  it('a page says so at once, and goes on by itself when the connection is back', async () => {
    const { page, context } = await world.newHolder();
    await world.system.createSignal();
    await page.goto('/signals');
    const signal = page.getByRole('table', { name: 'Signals' }).locator('tbody').getByRole('link').first();
    await signal.waitFor();
    await context.setOffline(true);
    await signal.click();
    await page.getByText('Sigcast cannot be reached').waitFor();
    await context.setOffline(false);
    await page.getByText('Peak market cap').waitFor();
    await page.getByText('Sigcast cannot be reached').waitFor({ state: 'hidden' });
  });

  it('a new page says why it waits, and opens by itself when the connection is back', async () => {
    const { page, context } = await world.newHolder();
    await page.goto('/signals');
    await page.getByText('By type, and what could be realized').waitFor();
    // The browser itself is online: only the service can't be reached.
    await context.route('**/*', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('Sigcast cannot be reached').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(true);
    await context.unroute('**/*');
    await heading(page, 'Usage').waitFor();
    await page.getByText('Sigcast cannot be reached').waitFor({ state: 'hidden' });
  });
});

describe('an address that does not exist', () => {
  it('shows a page that says so and leads back', async () => {
    const page = await world.tab();
    const answer = await page.goto('/nowhere/at/all');
    expect(answer?.status()).toBe(404);
    await heading(page, 'This page does not exist').waitFor();
    await page.locator('main').getByRole('link', { name: 'dashboard' }).click();
    await heading(page, 'Getting started').waitFor();
  });

  it('says that a webhook, a signal or a backtest does not exist, and leads to its list', async () => {
    const page = await world.tab();
    for (const [path, said, list] of [
      ['/webhooks/wh_nothing', 'There is no such webhook.', 'Webhooks'],
      ['/signals/sig_nothing', 'There is no signal sig_nothing.', 'Signals'],
      ['/backtests/bt_01J9ZR0B2D4F6H8K0M2P4R6T8V', 'There is no such backtest.', 'Backtests'],
    ] as const) {
      await page.goto(path);
      await page.getByText(said).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await page.getByRole('link', { name: `All ${list.toLowerCase()}` }).click();
      await heading(page, list).waitFor();
    }
  });
});

describe('a missing file of a page', () => {
  it('leaves all other pages usable when it stays missing', async () => {
    const { page, complaints } = await world.newHolder();
    await page.goto('/signals');
    const loads = countLoads(page);
    await page.route('**/assets/usage-page-*.js', (route) => route.fulfill({ status: 404 }));
    const loaded = page.waitForEvent('load');
    await page.getByRole('link', { name: 'Usage' }).click();
    await loaded;
    await page.getByText('Something went wrong on this page').waitFor();
    await page.getByRole('link', { name: 'API settings' }).click();
    await heading(page, 'API settings').waitFor();
    expect(loads()).toBe(1);
    // What is wrong on the page is also in the console.
    complaints.length = 0;
  });
});
