import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { newSignal } from '../system.ts';
import { type DashboardWorld, dashboardWorld, type Visitor } from './browser.ts';
import { liftLimits, signUp } from './people.ts';

let world: DashboardWorld;

beforeAll(async () => {
  world = await dashboardWorld();
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
}, 30_000);

/** Somebody who is signed in, with no limits. */
async function holder(): Promise<Visitor> {
  const visitor = await world.visitor();
  await liftLimits(world.system, await signUp(visitor.page));
  return visitor;
}

/** Opens signals and waits until they are there and followed. */
async function follow(page: Page, path = '/signals'): Promise<void> {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText(/ of \d+$|^None$/).waitFor();
}

/** Counts the page's requests for the list from now on. */
function listsAsked(page: Page): () => number {
  let lists = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v1/signals?')) lists += 1;
  });
  return () => lists;
}

async function makeSignal(symbol: string): Promise<string> {
  const signal = newSignal('wallet');
  const { body } = await world.system.ingest('POST', '', { ...signal, token: { ...signal.token, symbol } });
  return (body.data as { id: string }).id;
}

const patch = (id: string, change: object) => world.system.ingest('PATCH', `/${id}`, change);

const row = (page: Page, symbol: string) =>
  page.getByRole('table', { name: 'Signals' }).locator('tbody tr').filter({ hasText: symbol });

describe('the table of signals', () => {
  it('shows a new signal and its end as they happen, also where only ends are shown, without asking again', async () => {
    const { page, tab, complaints } = await holder();
    const winners = await tab();
    await follow(page);
    await follow(winners, '/signals?status=winner');
    const lists = [listsAsked(page), listsAsked(winners)];

    const id = await makeSignal('ENDS');
    await row(page, 'ENDS').getByText('Active').waitFor();
    await patch(id, { metrics: { mcap_current: 350_000 }, status: 'winner' });
    await row(page, 'ENDS').getByText('Winner').waitFor();
    await row(page, 'ENDS').getByText('+250 %').first().waitFor();
    await row(winners, 'ENDS').waitFor();
    expect(lists.map((asked) => asked())).toEqual([0, 0]);
    expect(complaints).toEqual([]);
  }, 180_000);

  it('shows what happened while its first answer was on the way', async () => {
    const { page, tab } = await holder();
    const witness = await tab();
    await follow(witness);
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/signals?*', async (route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    const asked = page.waitForRequest('**/v1/signals?*');
    await page.goto('/signals');
    await page.getByText('Live', { exact: true }).waitFor();
    await asked;
    await makeSignal('EARLY');
    await row(witness, 'EARLY').waitFor();
    held.resolve();
    await row(page, 'EARLY').waitFor();
  }, 180_000);

  it('is asked for a minute after an event however many follow, and else every five minutes', async () => {
    const { page } = await holder();
    const id = await makeSignal('QUIET');
    await page.clock.install();
    await follow(page);
    // Until what was missed before the stream was open has been asked for.
    const lists = listsAsked(page);
    await page.clock.fastForward('01:01');
    await eventually(() => expect(lists()).toBe(1));
    await page.clock.fastForward('02:30');

    // Figures alone make no event.
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
    // Sooner than asking again half a minute after the last event would bring it.
    await row(page, 'QUIET').getByText('$777K').waitFor({ timeout: 8_000 });
  }, 180_000);

  it('asks nothing and holds no stream while its tab is hidden, and misses nothing', async () => {
    const { page } = await holder();
    await page.clock.install();
    await follow(page);
    await makeSignal('BEFORE');
    await row(page, 'BEFORE').waitFor();
    const lists = listsAsked(page);
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/stream'));
    await turn(page, 'hidden');
    await closed;
    await makeSignal('MEANWHILE');
    await page.clock.fastForward('10:00');

    const opened = page.waitForRequest('**/v1/stream');
    const answered = page.waitForResponse('**/v1/signals?*');
    expect(lists()).toBe(0);
    await turn(page, 'visible');
    expect((await (await opened).allHeaders())['last-event-id']).toMatch(/^(evt|pos)_/);
    await answered;
    await row(page, 'MEANWHILE').waitFor();
  }, 180_000);
});

/** As when somebody looks at another tab, or comes back. */
async function turn(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}
