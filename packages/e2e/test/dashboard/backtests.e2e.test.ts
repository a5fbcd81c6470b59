import type { Backtest, SignalHistory } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import {
  colorSchemes,
  type DashboardWorld,
  dashboardWorld,
  excessWidth,
  heading,
  showIn,
  textOf,
} from './browser.ts';
import { newHolder } from './people.ts';

/** A backtest sees what was known a minute ago. */
const knownWait = { timeoutMs: 120_000, everyMs: 500 };

let world: DashboardWorld;
/** The market caps of signals over time, and how a backtest without delay sells them. */
const markets = [
  { symbol: 'NOVA', type: 'wallet', mcaps: [250_000, 260_000], exit: 'target' },
  { symbol: 'KITE', type: 'new', mcaps: [40_000, 30_000], exit: 'stop' },
  { symbol: 'HALO', type: 'new', mcaps: [110_000], exit: null },
] as const;
const ids: string[] = [];

beforeAll(async () => {
  world = await dashboardWorld();
  for (const { symbol, type, mcaps } of markets) {
    const id = await world.system.createSignal(type, { symbol });
    ids.push(id);
    // The history shows only the last one of several changes within a millisecond.
    await untilObserved(id, 1);
    for (const [at, mcap_current] of mcaps.entries()) {
      await world.system.ingest('PATCH', `/${id}`, { metrics: { mcap_current } });
      await untilObserved(id, at + 2);
    }
  }
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
}, 30_000);

/** Waits until the history of a signal has so many observations. */
async function untilObserved(id: string, observations: number): Promise<void> {
  await eventually(async () => {
    const { body } = await world.system.api(`/v1/signals/${id}/history`);
    const { buckets } = body.data as SignalHistory;
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(observations);
  });
}

/** Waits until a minute has passed since the last change of the signals became known. */
async function untilKnown(): Promise<void> {
  await eventually(async () => {
    const asOf = new Date(Date.now() - 61_000).toISOString();
    for (const [at, { mcaps }] of markets.entries()) {
      const { response, body } = await world.system.api(`/v1/signals/${ids[at]}?as_of=${asOf}`);
      expect(response.status).toBe(200);
      const { metrics } = body.data as { metrics: { mcap_current: number } };
      expect(metrics.mcap_current).toBe(mcaps.at(-1));
    }
  }, knownWait);
}

/** Starts the backtest that the form describes. @returns the backtest as the API answered it. */
async function start(page: Page): Promise<Backtest> {
  const answered = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && new URL(answer.url()).pathname === '/v1/backtests',
  );
  await page.getByRole('button', { name: 'Start backtest' }).click();
  const { data } = (await (await answered).json()) as { data: Backtest };
  await page.waitForURL(`**/backtests/${data.id}`);
  return data;
}

/** Starts a backtest with a market cap that no signal has, so that it is soon completed, without a trade. */
async function startEmpty(page: Page): Promise<Backtest> {
  await page.goto('/backtests');
  await page.getByLabel('Min. market cap').fill('900000000');
  return start(page);
}

const rows = (page: Page) => page.getByRole('table', { name: 'Backtests' }).locator('tbody tr');
const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });
const cells = async (page: Page, table: string, row: number) =>
  (await textOf(page.getByRole('table', { name: table }).locator('tbody tr').nth(row))).replace(/\s+/g, ' ');

/** Passes the answer about a backtest on, with changes. */
async function changed(route: Route, changes: (backtest: Backtest) => Partial<Backtest>): Promise<void> {
  const answer = await route.fetch();
  const body = (await answer.json()) as { data: Backtest };
  await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, ...changes(body.data) } } });
}

describe('the page of backtests', () => {
  it('says beside each field what is wrong, and focuses the first of them', async () => {
    const { page, complaints } = await newHolder(world);
    await page.goto('/backtests');
    await page.getByLabel('Created after').fill('');
    await page.getByLabel('Size').fill('0');
    await page.getByLabel('Target', { exact: true }).fill('0.5');
    await page.getByLabel('Stop', { exact: true }).fill('2');
    await page.getByRole('checkbox', { name: 'Sell at the stop' }).uncheck();
    await page.getByRole('button', { name: 'Start backtest' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    const since = page.getByLabel('Created after');
    await eventually(async () => {
      expect(await since.evaluate('document.activeElement?.type')).toBe('datetime-local');
    });
    const form = await textOf(page.getByRole('region', { name: 'New backtest' }));
    expect(form).toMatch(/Target\s+must be a number from 1.01 to 1000/);
    expect(form).toMatch(/Size\s+must be a number from 1 to 1000000/);
    expect(await page.locator('[aria-invalid=true]').count()).toBe(3);

    await since.fill('2025-01-01T00:00');
    await page.getByLabel('Size').fill('50');
    await page.getByLabel('Target', { exact: true }).fill('4');
    await page.getByRole('button', { name: 'Start backtest' }).click();
    await page.getByText('must be at most 400 days before as_of').waitFor();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(1);
    await page.getByText('No backtests yet').waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);

  it('fills the form from a backtest, so that a new one differs only in what is changed', async () => {
    const { page, complaints } = await newHolder(world);
    const first = await startEmpty(page);
    await heading(page, 'Backtest of').waitFor();
    await page.getByRole('link', { name: 'Run again with changes' }).click();
    await page.getByText('The form is filled with the parameters of').waitFor();
    expect(await page.getByLabel('Min. market cap').inputValue()).toBe('$900,000,000');
    await page.getByRole('checkbox', { name: 'Sell at the target' }).uncheck();
    const second = await start(page);
    expect(second.id).not.toBe(first.id);
    expect(second.parameters).toEqual({ ...first.parameters, target: null });
    await page.getByText('no target').waitFor();

    await page.goto(`/backtests?like=${first.id}`);
    await page.getByRole('button', { name: 'Reset the form' }).click();
    await eventually(async () => expect(await page.getByLabel('Min. market cap').inputValue()).toBe(''));
    expect(complaints).toEqual([]);
  }, 120_000);

  it('deletes a backtest after a confirmation, from its page and from the list', async () => {
    const { page, tab, complaints } = await newHolder(world);
    const first = await startEmpty(page);
    await page.getByText('No signal was bought').waitFor();
    const second = await startEmpty(page);
    await page.getByText('No signal was bought').waitFor();
    const elsewhere = await tab();
    await elsewhere.goto(`/backtests/${second.id}`);
    await elsewhere.getByText('No signal was bought').waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete backtest' }).click();
    await page.getByText('The backtest is deleted.').waitFor();
    await heading(page, 'Backtests').waitFor();
    await eventually(async () => expect(await rows(page).count()).toBe(1));
    expect((await read(page, second.id)).status()).toBe(404);
    await elsewhere.reload();
    await elsewhere.getByText('Somebody may have deleted what was here.').waitFor();

    await page.getByRole('button', { name: 'Delete the backtest of' }).click();
    await dialog.getByRole('button', { name: 'Delete backtest' }).click();
    await page.getByText('No backtests yet').waitFor();
    expect((await read(page, first.id)).status()).toBe(404);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('says why a backtest failed', async () => {
    const { page, complaints } = await newHolder(world);
    const failure = { status: 'failed', result: null, error: 'Three processes died with it' } as const;
    await page.route('**/v1/backtests/bt_*', (route) => changed(route, () => failure));
    await startEmpty(page);
    expect(await textOf(page.getByRole('alert').filter({ hasText: 'The backtest failed' }))).toContain(
      failure.error,
    );
    await page.getByRole('link', { name: 'Run again with changes' }).waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);

  // After the tests above, during which the minute passes that this one waits for.
  it('runs a backtest, shows its progress, and shows its result without a reload', async () => {
    const { page, complaints } = await newHolder(world);
    await page.clock.install();
    await page.goto('/backtests');
    await page.getByText('No backtests yet').waitFor();
    await untilKnown();
    await page.getByLabel('Delay').fill('0');
    let looks = 0;
    await page.route('**/v1/backtests/bt_*', (route) => {
      looks += 1;
      const early: Partial<Backtest> = {
        ...{ status: 'running', result: null, finished_at: null, progress: { done: looks, total: 3 } },
      };
      return looks > 2 ? route.continue() : changed(route, () => early);
    });
    const { id } = await start(page);
    await page.getByText('The backtest is started.').waitFor();
    await page.getByText('1 of 3 signals').waitFor();
    await page.getByText('2 of 3 signals').waitFor();
    await result(page).waitFor();
    await page.getByRole('status').getByText('Completed', { exact: true }).waitFor();

    const figures = await textOf(result(page));
    expect(figures).toMatch(/Trades\s+3/);
    expect(figures).toMatch(/Profitable\s+66.67 %/);
    expect(figures).toMatch(/Signals\s+3\s+Not bought\s+0 had no figures to buy at, 0 did not pass/);
    expect(figures).toContain('After costs. It is of the past and promises nothing.');
    expect(await result(page).getByRole('link', { name: 'How backtests work' }).getAttribute('href')).toBe(
      '/docs/backtests',
    );
    expect(await cells(page, 'By exit', 0)).toBe('Target 1 33.3 %');
    expect(await cells(page, 'By exit', 1)).toBe('Stop 1 33.3 %');
    expect(await cells(page, 'By exit', 3)).toBe('Not sold 1 33.3 %');
    expect(await cells(page, 'By type', 0)).toMatch(/^New 2 /);
    expect(await cells(page, 'Best trades', 0)).toMatch(/^NOVA Wallet .+ Target \+1\d\d\.?\d* % \+\$1\d\d\./);
    expect(await cells(page, 'Worst trades', 0)).toMatch(/^KITE New .+ Stop −\d\d\.?\d* % −\$\d\d\./);
    const parameters = await textOf(page.getByRole('region', { name: 'Parameters' }));
    expect(parameters).toMatch(/Delay\s+0 min[\s\S]+Target\s+2× the market cap/);

    const curve = page.getByRole('region', { name: 'Equity curve', exact: true });
    await curve.scrollIntoViewIfNeeded();
    await curve.locator('svg.recharts-surface').first().waitFor();
    const { profit_usd } = (
      (await (await read(page, id)).json()) as { data: { result: { profit_usd: number } } }
    ).data.result;
    expect(await cells(page, 'Equity curve', 0)).toContain(Math.abs(profit_usd).toFixed(2));

    // A finished backtest is not fetched again, however long the page is open.
    const looksUntilDone = looks;
    await page.clock.fastForward('30:00');
    await page.getByRole('link', { name: 'Profit', exact: true }).click();
    await heading(page, 'How figures are defined').waitFor();
    expect(await textOf(page.locator('#backtest-profit'))).toContain('after the fee and the price impact');
    expect(looks).toBe(looksUntilDone);
    await page.goBack();
    await page.getByRole('table', { name: 'Best trades' }).getByRole('link', { name: 'NOVA' }).click();
    await page.waitForURL(`**/signals/${ids[0]}`);

    await page.goto('/backtests');
    expect((await textOf(rows(page))).replace(/\s+/g, ' ')).toMatch(
      /All types · target 2× · stop 0.5× · at most 7 days Completed 3 [+−][\d.]+ % [+−]\$[\d.]+ 66.67 %/,
    );
    expect(complaints).toEqual([]);
  }, 300_000);

  it('is accessible and no wider than the screen, narrow and wide, light and dark, with a result and with errors', async () => {
    const { page, complaints } = await newHolder(world);
    await untilKnown();
    await page.goto('/backtests');
    await page.getByLabel('Delay').fill('0');
    const { id } = await start(page);
    await result(page).waitFor();
    const problems: string[] = [];
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const look = async (name: string) => {
        for (const colorScheme of colorSchemes) {
          await showIn(page, colorScheme);
          const at = `${name} ${width} ${colorScheme}`;
          const excess = await excessWidth(page);
          if (excess > 0) problems.push(`${at} is ${excess} px too wide`);
          problems.push(...(await violations(page)).map((found) => `${at} ${found}`));
        }
      };
      await page.goto('/backtests');
      await rows(page).first().waitFor();
      await page.getByLabel('Size').fill('0');
      await page.getByRole('button', { name: 'Start backtest' }).click();
      await page.locator('[aria-invalid=true]').first().waitFor();
      await look('form');
      await page.goto(`/backtests/${id}`);
      const curve = page.getByRole('region', { name: 'Equity curve', exact: true });
      await curve.scrollIntoViewIfNeeded();
      await curve.locator('svg.recharts-surface').first().waitFor();
      await look('result');
    }
    expect(problems).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);
});

/** Reads a backtest as the page does. */
function read(page: Page, id: string) {
  return page.evaluateHandle('sessionStorage.getItem("sigcast-access")').then(async (kept) => {
    const { text } = JSON.parse((await kept.jsonValue()) as string) as { text: string };
    return page.request.get(`/v1/backtests/${id}`, { headers: { authorization: `Bearer ${text}` } });
  });
}
