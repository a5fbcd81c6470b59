import { readFileSync } from 'node:fs';
import type { Backtest } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { problemsOf } from './axe.ts';
import { heading, textOf } from './browser.ts';
import { picturePage, pictureResult } from './screenshot-backtest.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

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
  await page.goto('/backtests/new');
  await page.getByText('More settings').click();
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
    const page = await world.tab();
    await page.goto('/backtests/new');
    await page.getByLabel('Created after').fill('');
    await page.getByText('More settings').click();
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
    const form = await textOf(page.getByRole('region', { name: 'Rule' }));
    expect(form).toMatch(/Target\s+Sell at the target\s+Must be a number from 1.01 to 1000\./);
    expect(form).toMatch(/Size\s+Must be a number from 1 to 1000000\./);
    expect(await page.locator('[aria-invalid=true]').count()).toBe(3);
    expect(await problemsOf(page, 'form')).toEqual([]);

    await since.fill('2025-01-01T00:00');
    await page.getByLabel('Size').fill('50');
    await page.getByLabel('Target', { exact: true }).fill('4');
    await page.getByRole('button', { name: 'Start backtest' }).click();
    await page.getByText('Must be at most 400 days before as_of.').waitFor();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(1);
    expect(page.url()).toMatch(/\/backtests\/new$/);
  });

  it('fills the form from a backtest, so that a new one differs only in what is changed', async () => {
    const page = await world.tab();
    await page.goto('/backtests/new');
    await page.getByText('More settings').click();
    await page.getByLabel('Min. market cap').fill('900000000');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Condition 1: value').fill('50,000');
    const nothing = { signals: 3, trades: 0, not_bought: { no_entry: 2, filtered: 1 } };
    await page.route(/\/v1\/backtests\/bt_\w+$/, (route) =>
      changed(route, () => ({ status: 'completed', result: { ...pictureResult(), ...nothing } })),
    );
    const first = await start(page);
    await page.getByText('2 had no price to buy at, 1 did not pass the filters').waitFor();
    expect(first.parameters.filter).toEqual({ 'metrics.mcap_entry': { gte: 50_000 } });
    await heading(page, 'Backtest of').waitFor();
    await page.getByRole('link', { name: 'Change and run again' }).click();
    await page.getByText('Filled in from').waitFor();
    expect(await page.getByLabel('Min. market cap').inputValue()).toBe('$900,000,000');
    await page.getByRole('checkbox', { name: 'Sell at the target' }).uncheck();
    const second = await start(page);
    expect(second.id).not.toBe(first.id);
    expect(second.parameters).toEqual({ ...first.parameters, target: null });
    await page.getByText('no target').waitFor();

    await page.goto(`/backtests/new?like=${first.id}`);
    await page.getByRole('button', { name: 'Reset the form' }).click();
    await eventually(async () => expect(await page.getByLabel('Min. market cap').inputValue()).toBe(''));
  });

  it('deletes a backtest after a confirmation, from its page and from the list', async () => {
    const { page, tab } = await world.newHolder();
    const first = await startEmpty(page);
    await page.getByText('No signals were bought').waitFor();
    const second = await startEmpty(page);
    await page.getByText('No signals were bought').waitFor();
    const elsewhere = await tab();
    await elsewhere.goto(`/backtests/${second.id}`);
    await elsewhere.getByText('No signals were bought').waitFor();

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
    await elsewhere.getByText(/Check the address/).waitFor();

    await page.getByRole('button', { name: 'Delete the backtest' }).click();
    await dialog.getByRole('button', { name: 'Delete backtest' }).click();
    await page.getByText('No backtests yet').waitFor();
    expect((await read(page, first.id)).status()).toBe(404);
  });

  it('says why a backtest failed', async () => {
    const page = await world.tab();
    const failure = { status: 'failed', result: null, error: 'Three processes died with it' } as const;
    await page.route('**/v1/backtests/bt_*', (route) => changed(route, () => failure));
    await startEmpty(page);
    expect(await textOf(page.getByRole('alert').filter({ hasText: 'The backtest failed' }))).toContain(
      failure.error,
    );
    await page.getByRole('link', { name: 'Change and run again' }).waitFor();
  });

  it('shows the distribution and all trades of a named backtest, saves them as CSV, and compares it with another one', async () => {
    const { page } = await world.newHolder();
    await page.goto('/backtests/new');
    await page.getByLabel('Name').fill('Patient');
    const first = await start(page);
    await heading(page, 'Patient').waitFor();
    await page.goto('/backtests/new');
    await page.getByLabel('Target', { exact: true }).fill('3');
    const second = await start(page);
    await heading(page, 'Backtest of').waitFor();
    const outcome = pictureResult();
    const finished = { status: 'completed', error: null } as const;
    const resultOf = (id: string) =>
      id === first.id ? outcome : { ...outcome, profit_usd: -20, trades: 5, max_open: 3 };
    await page.route(/\/v1\/backtests\/bt_\w+$/, (route) =>
      changed(route, ({ id }) => ({ ...finished, result: resultOf(id) })),
    );
    await page.route('**/v1/backtests?*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: Backtest[] };
      const data = body.data.map((each) => ({ ...each, ...finished, result: resultOf(each.id) }));
      await route.fulfill({ response: answer, json: { ...body, data } });
    });
    await page.route('**/v1/backtests/*/trades?*', (route) =>
      route.fulfill({ json: picturePage(route.request().url()) }),
    );

    await page.goto(`/backtests/${first.id}`);
    const distribution = await textOf(page.getByRole('region', { name: 'Distribution' }));
    expect(distribution).toMatch(/Median\s+−12.4%/);
    expect(distribution).toContain('183 below 0% (58.7%), 129 at 0% or above.');
    const all = page.getByRole('region', { name: 'Trades', exact: true });
    expect(await textOf(all)).toContain('1–25 of 312');
    await all.getByRole('button', { name: 'Page 13' }).click();
    await all.getByText('301–312 of 312').waitFor();
    expect(await all.getByRole('table').locator('tbody tr').count()).toBe(12);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      all.getByRole('button', { name: 'Export all as CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`sigcast-${first.id}.csv`);
    const lines = readFileSync(await saved.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(313);
    expect(lines[0]).toBe('signal_id,symbol,type,entered_at,exited_at,exit,roi,profit_usd');
    expect(lines[2]).toMatch(/^sig_\w+,KITE,\w+,\S+Z,\S+Z,stop,-51.3,-51.3$/);

    await page.getByLabel('Compare with').selectOption(second.id);
    await page.getByRole('table', { name: 'Comparison' }).waitFor();
    expect(new URL(page.url()).searchParams.get('with')).toBe(second.id);
    expect(await textOf(page.getByRole('table', { name: 'Comparison' }))).toMatch(
      /Target\s+2×\s+3×[\s\S]+Profit\s+\+\$811.37\s+\(better\)\s+−\$20.00\s+\+\$831.37/,
    );
    const curve = page.getByRole('region', { name: 'Equity and drawdown', exact: true });
    expect(await textOf(curve)).toContain('Patient');
    await curve.scrollIntoViewIfNeeded();
    await curve.locator('svg').waitFor();
    expect(await problemsOf(page, 'comparison')).toEqual([]);
    await page.getByRole('button', { name: 'Stop comparing' }).click();
    await page.getByRole('table', { name: 'Comparison' }).waitFor({ state: 'hidden' });
  });

  it('runs a backtest, shows its progress, and shows its result without a reload', async () => {
    const { page } = await world.newHolder();
    await page.clock.install();
    await page.goto('/backtests');
    await page.getByText('No backtests yet').waitFor();
    await page.getByRole('link', { name: 'New backtest' }).click();
    await page.getByText('More settings').click();
    await page.getByLabel('Delay').fill('0');
    let looks = 0;
    const outcome = pictureResult();
    await page.route('**/v1/backtests/*/trades?*', (route) =>
      route.fulfill({ json: picturePage(route.request().url()) }),
    );
    await page.route(/\/v1\/backtests\/bt_\w+$/, (route) => {
      looks += 1;
      const early = { status: 'running', result: null, finished_at: null } as const;
      const given = { status: 'completed', result: outcome } as const;
      return changed(route, () => (looks > 2 ? given : { ...early, progress: { done: looks, total: 3 } }));
    });
    await start(page);
    await page.getByText('The backtest is started.').waitFor();
    await page.getByText('1 of 3 signals').waitFor();
    await page.getByText('2 of 3 signals').waitFor();
    await result(page).waitFor();
    await page.getByRole('status').getByText('Completed', { exact: true }).waitFor();

    const figures = await textOf(result(page));
    expect(figures).toMatch(/Trades\s+312/);
    expect(figures).toMatch(/Profitable\s+41.4%/);
    expect(figures).toMatch(/Profit\s+\+\$811.37\s+Realized\s+\+\$764.12\s+Still held\s+\+\$47.25/);
    expect(figures).toContain('312 of 420 signals were bought; 21 had no price to buy at, 87 did not pass');
    expect(figures).toContain('After costs. Past results promise nothing.');
    expect(await result(page).getByRole('link', { name: 'How backtests work' }).getAttribute('href')).toBe(
      '/docs/backtests',
    );
    expect(await cells(page, 'By exit', 0)).toBe('Target 118 37.8%');
    expect(await cells(page, 'By exit', 1)).toBe('Stop 171 54.8%');
    expect(await cells(page, 'By exit', 3)).toBe('Not sold 4 1.3%');
    expect(await cells(page, 'By type', 0)).toMatch(/^New 312 /);
    await page.getByText('Worst', { exact: true }).click();
    expect(await cells(page, 'Worst trades', 0)).toMatch(/^NOVA .+ Stop −66.2% −\$66.20/);
    await page.getByText('Best', { exact: true }).click();
    expect(await cells(page, 'Best trades', 0)).toMatch(/^NOVA New .+ Target \+204.2% \+\$204.20/);
    const best = page.getByRole('table', { name: 'Best trades' }).getByRole('link', { name: 'NOVA' }).first();
    expect(await best.getAttribute('href')).toBe(`/signals/${outcome.best[0]?.signal_id}`);
    const parameters = await textOf(page.getByRole('region', { name: 'Parameters' }));
    expect(parameters).toMatch(/Delay\s+0 min[\s\S]+Target\s+2×/);

    const curve = page.getByRole('region', { name: 'Equity and drawdown', exact: true });
    await curve.scrollIntoViewIfNeeded();
    await curve.locator('svg').waitFor();
    await curve.getByText('in figures').click();
    const profit = outcome.equity.points.at(-1)?.profit_usd ?? 0;
    expect((await cells(page, 'Equity curve', 0)).replaceAll(',', '')).toContain(Math.abs(profit).toFixed(2));
    expect(await problemsOf(page, 'result')).toEqual([]);

    // A finished backtest is not fetched again, however long the page is open.
    const looksUntilDone = looks;
    await page.clock.fastForward('30:00');
    await page.getByRole('link', { name: 'Profit', exact: true }).click();
    await heading(page, 'How figures are defined').waitFor();
    expect(await textOf(page.locator('#backtest-profit'))).toContain('after the fee and the price impact');
    expect(looks).toBe(looksUntilDone);

    await page.goto('/backtests');
    // What it has bought are signals of other tests, if there are any yet.
    await eventually(async () =>
      expect((await textOf(rows(page))).replace(/\s+/g, ' ')).toMatch(
        /All types · target 2× · stop 0.5× · at most 168 h (No trades|Completed \d)/,
      ),
    );
  });
});

/** Reads a backtest as the page does. */
function read(page: Page, id: string) {
  return page.evaluateHandle('sessionStorage.getItem("sigcast-access")').then(async (kept) => {
    const { text } = JSON.parse((await kept.jsonValue()) as string) as { text: string };
    return page.request.get(`/v1/backtests/${id}`, { headers: { authorization: `Bearer ${text}` } });
  });
}
