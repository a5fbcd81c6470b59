import { eventually } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { problemsOf } from './axe.ts';
import { hold, holdAnswers, textOf } from './browser.ts';
import { makeSignals } from './signals.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

const makeSignal = (symbol: string) => world.system.createSignal('wallet', { symbol });

describe('the feed of events', () => {
  it('grows as events happen, holds still while it is read, and its filter becomes that of a webhook', async () => {
    const page = await world.tab();
    const symbolIs = JSON.stringify({ 'token.symbol': { starts_with: 'FEED' } });
    await page.goto(`/events?${new URLSearchParams({ filter: symbolIs })}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('No event', { exact: false }).first().waitFor();
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr');
    await makeSignal('FEEDA');
    await rows.filter({ hasText: 'FEEDA' }).waitFor();

    await rows.first().hover();
    await makeSignal('OTHER');
    await makeSignal('FEEDB');
    const waiting = page.getByRole('button', { name: '1 new event' });
    await waiting.waitFor();
    expect(await rows.count()).toBe(1);
    await waiting.click();
    await rows.filter({ hasText: 'FEEDB' }).waitFor();
    expect(await rows.count()).toBe(2);

    await page.reload();
    await rows.nth(1).waitFor();
    // The filters, then the rows.
    await page.keyboard.press('/');
    expect(await page.evaluate("document.activeElement.closest('search') !== null")).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog');
    expect(
      JSON.parse(await textOf(panel.getByRole('region', { name: 'Body' }).locator('pre'))),
    ).toMatchObject({
      event: 'signal.new',
      data: { token: { symbol: 'FEEDB' } },
    });
    expect(await problemsOf(page, 'event', ['serious', 'critical'])).toEqual([]);
    const opened = page.url();
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.href !== opened && url.searchParams.has('open'));
    await page.keyboard.press('k');
    await page.waitForURL(opened);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Add webhook with this filter' }).click();
    await page.getByRole('dialog').getByText(symbolIs).waitFor();
  });

  it('shows events that happen while answers are on their way, with the newest events and with older ones', async () => {
    const [page, witness] = [await world.tab(), await world.tab()];
    const row = (tab: Page, symbol: string) =>
      tab.getByRole('table', { name: 'Events' }).locator('tbody tr').filter({ hasText: symbol });
    await makeSignals(world.system, 51);
    await witness.goto('/events');
    await witness.getByText('Live', { exact: true }).waitFor();
    const happens = async (symbol: string) => {
      await makeSignal(symbol);
      await row(witness, symbol).waitFor();
    };
    // The list is read before the event, and the stream is opened after it.
    const stream = await hold(page, '**/v1/stream*');
    const newest = await holdAnswers(page, '**/v1/events?*');
    await page.goto('/events');
    await newest.read;
    await happens('AMIDA');
    stream();
    await page.getByText('Live', { exact: true }).waitFor();
    newest.release();
    await row(page, 'AMIDA').waitFor();

    const older = await holdAnswers(page, '**/v1/events?*after=*');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.mouse.move(0, 0); // over a row, the table would hold still
    await older.read;
    await happens('AMIDB');
    await row(page, 'AMIDB').waitFor();
    const shown = await page.getByRole('table', { name: 'Events' }).locator('tbody tr').count();
    older.release();
    await eventually(async () =>
      expect(await page.getByRole('table', { name: 'Events' }).locator('tbody tr').count()).toBeGreaterThan(
        shown,
      ),
    );
    await row(page, 'AMIDB').waitFor();
  });
});
