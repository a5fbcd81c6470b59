import { eventually } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { holdAnswers } from './browser.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

/** Opens the page of signals, and waits until its data and its stream are there. */
async function follow(page: Page, path = '/signals'): Promise<void> {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText(/ of [\d,]+$|^None$/).waitFor();
}

/** Counts the page's requests for the list. */
function listsAsked(page: Page): () => number {
  let lists = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v1/signals?')) lists += 1;
  });
  return () => lists;
}

const makeSignal = (symbol: string) => world.system.createSignal('wallet', { symbol });

const patch = (id: string, change: object) => world.system.ingest('PATCH', `/${id}`, change);

const row = (page: Page, symbol: string) =>
  page.getByRole('table', { name: 'Signals' }).locator('tbody tr').filter({ hasText: symbol });

describe('the table of signals', () => {
  it('shows a new signal and its outcome as they happen, also with a filter by status, without another request', async () => {
    const [page, winners] = [await world.tab(), await world.tab()];
    await follow(page);
    await follow(winners, '/signals?status=winner');
    const lists = [listsAsked(page), listsAsked(winners)];

    const id = await makeSignal('ENDS');
    await row(page, 'ENDS').getByText('Active').waitFor();
    await patch(id, { metrics: { mcap_current: 350_000 }, status: 'winner' });
    await row(page, 'ENDS').getByText('Winner').waitFor();
    await row(page, 'ENDS').getByText('+250.0%').first().waitFor();
    await row(winners, 'ENDS').waitFor();
    expect(lists.map((asked) => asked())).toEqual([0, 0]);
  });

  it('says how long ago the last event was, and without the stream how old the figures are', async () => {
    const { page } = await world.newHolder();
    await page.clock.install();
    await follow(page);
    await makeSignal('SIGN');
    await row(page, 'SIGN').waitFor();
    await page.clock.fastForward('00:20');
    await page.getByText(/· [2-5]\d s$/).waitFor();
    await page.route('**/v1/stream', (route) => route.fulfill({ status: 503, json: {} }));
    await setVisibility(page, 'hidden');
    await setVisibility(page, 'visible');
    await page.getByText('Not live', { exact: true }).waitFor();
    await page.getByText(/· figures \d+ s old$/).waitFor();
  });

  it('keeps its rows in place while they are pointed at or gone through by keyboard, and shows new signals on request', async () => {
    const page = await world.tab();
    await makeSignal('READ');
    await follow(page);
    await row(page, 'READ').hover();
    await makeSignal('WAITS');
    const waiting = page.getByRole('button', { name: /^\d+ new signals?$/ });
    await waiting.waitFor();
    expect(await row(page, 'WAITS').count()).toBe(0);
    await waiting.click();
    await row(page, 'WAITS').waitFor();

    // The same by keyboard.
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.mouse.move(0, 0);
    await page.keyboard.press('j');
    await makeSignal('LATER');
    await waiting.waitFor();
    await page.getByRole('searchbox').focus();
    await row(page, 'LATER').waitFor();
  });

  it('shows a signal that was created while its first answer was on the way', async () => {
    const [page, witness] = [await world.tab(), await world.tab()];
    await follow(witness);
    const first = await holdAnswers(page, '**/v1/signals?*');
    await page.goto('/signals');
    await page.getByText('Live', { exact: true }).waitFor();
    await first.read;
    await makeSignal('EARLY');
    await row(witness, 'EARLY').waitFor();
    first.release();
    await row(page, 'EARLY').waitFor();
  });

  it('is requested again a minute after an event, however many follow, and otherwise every five minutes', async () => {
    const { page } = await world.newHolder();
    const id = await makeSignal('QUIET');
    await eventually(async () => {
      const { body } = await world.system.api(`/v1/events?signal_id=${id}`);
      expect(body.data).toHaveLength(1);
    });
    await page.clock.install();
    await follow(page);
    // The page asks once more for what it may have missed before the stream was open.
    const lists = listsAsked(page);
    await page.clock.fastForward('01:01');
    await eventually(() => expect(lists()).toBe(1));
    await page.clock.fastForward('02:30');

    // A change of figures makes no event for subscribers.
    await patch(id, { metrics: { mcap_current: 777_000 } });
    for (const [symbol, afterwards] of [
      ['BUSY1', '00:25'],
      ['BUSY2', '00:20'],
    ] as const) {
      await makeSignal(symbol);
      await row(page, symbol).waitFor();
      expect(lists()).toBe(1);
      await page.clock.fastForward(afterwards);
    }
    await makeSignal('BUSY3');
    await row(page, 'BUSY3').waitFor();
    await page.clock.fastForward('00:16');
    // A request half a minute after the last event would be later than this.
    await row(page, 'QUIET').getByText('$777K').waitFor({ timeout: 8_000 });
  });

  it('makes no requests and has no stream while its tab is hidden, and misses nothing', async () => {
    const { page } = await world.newHolder();
    await page.clock.install();
    await follow(page);
    await makeSignal('BEFORE');
    await row(page, 'BEFORE').waitFor();
    const lists = listsAsked(page);
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/stream'));
    await setVisibility(page, 'hidden');
    await closed;
    await makeSignal('MEANWHILE');
    await page.clock.fastForward('10:00');

    const opened = page.waitForRequest('**/v1/stream');
    const answered = page.waitForResponse('**/v1/signals?*');
    expect(lists()).toBe(0);
    await setVisibility(page, 'visible');
    expect((await (await opened).allHeaders())['last-event-id']).toMatch(/^(evt|pos)_/);
    await answered;
    await row(page, 'MEANWHILE').waitFor();
  });
});

/** Hides or shows a tab, as when somebody looks at another tab, or comes back. */
async function setVisibility(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}
