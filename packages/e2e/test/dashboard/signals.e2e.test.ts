import { readFile } from 'node:fs/promises';
import { originSchema, sampleOf } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { newSignal } from '../system.ts';
import { excessWidth, heading, textOf } from './browser.ts';
import { signIn, signUp } from './people.ts';
import { makeSignals } from './signals.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();
/** How many signals the system has, and the contract of one of them. */
let made: number;
let contract: string;

beforeAll(async () => {
  contract = await makeSignals(world.system, 45);
  made = await totalOf('');
});

async function totalOf(filter: string): Promise<number> {
  return (await world.system.api(`/v1/signals?limit=1${filter}`)).body.meta?.total ?? 0;
}

const count = (figure: number) => figure.toLocaleString('en-US');
const table = (page: Page) => page.getByRole('table', { name: 'Signals' });
const rows = (page: Page) => table(page).locator('tbody tr');
/** Opens the choices of a filter that is not set yet. */
async function addFilter(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('menuitem', { name }).click();
}
const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** The ROI of each row, in percent. */
async function returns(page: Page): Promise<number[]> {
  const figures = rows(page).locator('td:nth-child(7) > [title]');
  const exact = await Promise.all((await figures.all()).map((figure) => figure.getAttribute('title')));
  return exact.map((text) => Number(text?.replace('−', '-').replace(/[^-\d.]/g, '')));
}

describe('signals', () => {
  it('are listed, paged, filtered by type and status, and each leads to its own page and back', async () => {
    const page = await world.tab();
    await page.goto('/signals');
    await page.getByText(`1–20 of ${count(made)}`).waitFor();
    expect(await rows(page).count()).toBe(20);
    await page.getByRole('button', { name: 'Page 3' }).click();
    await page.getByText(`41–${Math.min(60, made)} of ${count(made)}`).waitFor();
    expect(page.url()).toContain('page=3');
    await page.goBack();
    await page.getByText(`1–20 of ${count(made)}`).waitFor();

    await addFilter(page, 'Type');
    await page.getByRole('checkbox', { name: 'Wallet' }).check();
    await page.keyboard.press('Escape');
    // A filter that is closed without a choice goes, and the focus is where it can be added again.
    await addFilter(page, 'Risks');
    await page.getByRole('radio', { name: 'None known' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Risks' }).waitFor({ state: 'detached' });
    await eventually(async () => {
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Add filter');
    });
    await addFilter(page, 'Status');
    await page.getByRole('checkbox', { name: 'Winner' }).check();
    await page.keyboard.press('Escape');
    await eventually(async () => {
      const shown = await rows(page).allInnerTexts();
      expect(shown.length).toBeGreaterThan(0);
      for (const text of shown) expect(text).toMatch(/Wallet[\s\S]*Winner/);
    });
    expect(page.url()).toMatch(/type=wallet&status=winner$/);

    await rows(page).first().getByRole('link').click();
    await page.getByText('Peak market cap').waitFor();
    expect(page.url()).toMatch(/\/signals\/sig_[0-9A-Z]{26}$/);
    await page.getByRole('main').getByRole('link', { name: 'Signals', exact: true }).click();
    await rows(page).first().waitFor();
    expect(page.url()).toMatch(/\/signals\?type=wallet&status=winner$/);
  });

  it('are found by the beginning of symbol or name in any case and by contract, and the page explains an empty result', async () => {
    const page = await world.tab();
    await page.goto('/signals');
    const field = page.getByRole('searchbox', { name: 'Symbol, name or contract' });
    await field.fill('$novam');
    await page.keyboard.press('Enter');
    const novam = await totalOf('&symbol=novam');
    expect(novam).toBeGreaterThan(2);
    await page.getByText(`1–${novam} of ${novam}`).waitFor();
    for (const text of await rows(page).allInnerTexts()) expect(text).toContain('NOVAM');
    expect(page.url()).toMatch(/\/signals\?search=novam$/);
    await page.reload();
    await page.getByText(`1–${novam} of ${novam}`).waitFor();
    expect(await field.inputValue()).toBe('novam');
    // Without Enter, as soon as nobody types on; the space before the next word stays.
    await field.press('End');
    await field.pressSequentially(' ');
    await field.pressSequentially('mi', { delay: 300 });
    expect(await field.inputValue()).toBe('novam mi');
    await page.getByText('No signals match “novam mi”').waitFor();
    await field.fill('nova mi');
    await page.getByText(`1–${novam} of ${novam}`).waitFor();
    expect(page.url()).toContain('search=nova%20mi');

    // Of too many signals, the API finds whole symbols only.
    const details = [{ field: 'filter', message: 'would be applied to more than 20,000 signals' }];
    const error = { code: 'INVALID_REQUEST', message: 'Too many', details };
    await page.route(/\/v1\/signals\?.*filter=/, (route) =>
      route.fulfill({ status: 400, json: { success: false, error } }),
    );
    await field.fill('NovaM');
    await page.keyboard.press('Enter');
    await page.getByText('Only whole symbols are found').waitFor();
    await page.getByText(`1–${novam} of ${novam}`).waitFor();
    await page.unroute(/\/v1\/signals\?.*filter=/);

    await field.fill(contract);
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    expect(page.url()).toContain(`?contract=${contract}`);
    await field.fill('OVAM');
    await page.keyboard.press('Enter');
    await page.getByText('No signals match “OVAM”').waitFor();
    await page.getByText('has to begin so').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText(`1–20 of ${count(made)}`).waitFor();
    expect(page.url()).toMatch(/\/signals$/);
  });

  it('can be sorted by a figure over all pages and limited to days, both in the address', async () => {
    const page = await world.tab();
    await page.goto('/signals');
    await page.getByText(`1–20 of ${count(made)}`).waitFor();
    const header = table(page).getByRole('columnheader', { name: 'ROI', exact: true });
    await header.getByRole('button').click();
    await page.getByRole('button', { name: 'Created in the last 30 days' }).waitFor();
    expect(page.url()).toMatch(/\/signals\?sort=roi$/);
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    // Until the answer is there, the rows of before are shown.
    const loaded = () => page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await loaded();
    const first = await returns(page);
    expect(first).toHaveLength(20);
    await page.getByRole('button', { name: 'Page 2' }).click();
    await page.waitForURL(/page=2$/);
    await loaded();
    const both = [...first, ...(await returns(page))];
    expect(both).toEqual([...both].sort((a, b) => b - a));
    await page.reload();
    await eventually(async () => expect(await returns(page)).toEqual(both.slice(first.length)));
    await header.getByRole('button').click();
    await page.getByText(`1–20 of ${count(made)}`).waitFor();
    expect(page.url()).toMatch(/\/signals$/);
    await header.getByRole('button').click();
    const limit = page.getByRole('button', { name: 'Created in the last 30 days' });
    await limit.waitFor();

    const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
    await limit.click();
    await page.getByLabel('First day (UTC)').fill(day);
    await page.getByLabel('Last day (UTC)').fill(day);
    const { body } = await world.system.api(
      `/v1/signals?limit=100&since=${dayBefore(day)}T23:59:59.999Z&until=${day}T23:59:59.999Z`,
    );
    const expected = (body.data as { performance: { roi: number } }[]).map(
      ({ performance }) => performance.roi,
    );
    expect(expected.length).toBeGreaterThan(2);
    await page.getByText(`1–${expected.length} of ${expected.length}`).waitFor();
    expect(page.url()).toMatch(new RegExp(`from=${day}&to=${day}&sort=roi$`));
    expect((await returns(page)).length).toBe(expected.length);
    await page.getByLabel('First day (UTC)').fill(new Date().toISOString().slice(0, 10));
    await page.getByText('Choose the first day or a later day').waitFor();
    await page.getByText('No signals match').waitFor();
  });

  it('are limited by their figures, up to a number or from one, and a number that cannot be read is named at its field', async () => {
    const page = await world.tab();
    await page.goto('/signals?ath_roi=..1000000');
    const least = 200_000;
    const since = new Date(Date.now() - 29 * 86_400_000).toISOString();
    const filter = JSON.stringify({
      'metrics.mcap_entry': { gte: least },
      'performance.ath_roi': { lte: 1e6 },
    });
    const total = await totalOf(`&since=${since}&filter=${encodeURIComponent(filter)}`);
    expect(total).toBeGreaterThan(1);
    await addFilter(page, 'Market cap at entry');
    await page.getByLabel('At least').fill('a lot');
    await page.keyboard.press('Enter');
    await page.getByText('Enter an amount, such as 50k').waitFor();
    await page.getByLabel('At least').fill('$200k');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Market cap at entry ≥ $200K' }).waitFor();
    await page.getByRole('button', { name: 'Peak ROI ≤ 1,000,000%' }).waitFor();
    expect(page.url()).toMatch(/\/signals\?ath_roi=\.\.1000000&mcap_entry=200000\.\.$/);
    await page.getByText(new RegExp(` of ${total}$`)).waitFor();
  });

  it('begin in the upper part of a phone’s screen, with their figures beside them', async () => {
    const page = await world.tab();
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto('/signals');
    await page.getByText('By type, and what could be realized').waitFor();
    await rows(page).first().waitFor();
    await eventually(async () => expect((await rows(page).first().boundingBox())?.y).toBeLessThan(420));
    const hidden = await page.evaluate(`(() => {
      const place = document.querySelector('[aria-label=Signals]').parentElement;
      return place.scrollWidth - place.clientWidth;
    })()`);
    expect(hidden).toBe(0);
  });

  it('lead to the next and the previous by j and k, and back to where the list was by Escape', async () => {
    const page = await world.tab();
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto('/signals?type=wallet,new');
    await rows(page).first().waitFor();
    const links = rows(page).locator('td:first-child a');
    const hrefs = await Promise.all((await links.all()).map((link) => link.getAttribute('href')));
    const at = (place: number) => page.waitForURL(`**${hrefs[place]}`);
    await links.nth(4).scrollIntoViewIfNeeded();
    await links.nth(4).click();
    await at(4);
    await page.getByText(`5 of ${hrefs.length}`).waitFor();
    const before = Number(await page.evaluate('history.length'));
    await page.keyboard.press('j');
    await at(5);
    await page.getByText(`6 of ${hrefs.length}`).waitFor();
    await page.keyboard.press('k');
    await at(4);
    // A dialog is closed by the key, and the page stays.
    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.getByText('Back to the list').waitFor();
    await page.keyboard.press('Escape');
    await shortcuts.waitFor({ state: 'hidden' });
    await at(4);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/signals?type=wallet,new');
    expect(Number(await page.evaluate('history.length'))).toBe(before);
    await rows(page).first().waitFor();
    await eventually(async () => expect(Number(await page.evaluate('scrollY'))).toBeGreaterThan(100));
    // The keyboard goes on from the signal that was opened.
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await at(5);
  });

  it('keep their scroll position when the browser goes back from a signal', async () => {
    const page = await world.tab();
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto('/signals');
    // The statistics above the list move it when they come.
    await page.getByText('By type, and what could be realized').waitFor();
    const last = rows(page).last().getByRole('link');
    await last.scrollIntoViewIfNeeded();
    const before = Number(await page.evaluate('scrollY'));
    expect(before).toBeGreaterThan(300);
    await last.click();
    await page.getByText('Peak market cap').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await rows(page).last().waitFor();
    await eventually(async () => expect(Number(await page.evaluate('scrollY'))).toBeCloseTo(before, -1));
  });

  it('say that there is no such page, and lead to the last one', async () => {
    const page = await world.tab();
    await page.goto('/signals?page=9999');
    await page.getByText('This list has no such page').waitFor();
    await page.getByRole('link', { name: 'the last one' }).click();
    const last = Math.ceil(made / 20);
    await page.getByText(`${count(last * 20 - 19)}–${count(made)} of ${count(made)}`).waitFor();
    expect(page.url()).toMatch(new RegExp(`/signals\\?page=${last}$`));
  });

  it('are previewed beside the list on a wide screen, by click, j and k and the arrow keys, and opened by the next click or Enter', async () => {
    const page = await world.tab();
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.goto('/signals');
    const preview = page.getByRole('region', { name: 'Preview' });
    const symbolOf = async (at: number) => {
      return (await textOf(rows(page).nth(at).getByRole('link'))).replace(/\s+/g, ' ').trim();
    };
    const shows = async (at: number) => {
      await preview.getByRole('heading', { name: await symbolOf(at) }).waitFor();
      await rows(page).nth(at).locator('[aria-current=true]').waitFor();
    };
    await shows(0);
    await page.keyboard.press('j');
    await shows(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await shows(2);
    await rows(page).nth(4).getByRole('link').click();
    await shows(4);
    expect(page.url()).toMatch(/\/signals$/);
    await eventually(async () => {
      expect(await textOf(preview)).toMatch(/Peak market cap\s+\$/);
    });
    await preview.locator('svg').first().waitFor();
    expect(await preview.getByRole('link', { name: 'Open signal' }).getAttribute('href')).toMatch(/\/sig_/);
    await preview.getByText('Market cap at entry').waitFor();
    expect(await excessWidth(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/signals\/sig_/);
    await page.goBack();
    await page.setViewportSize({ width: 1440, height: 900 });
    await rows(page).nth(1).getByRole('link').click();
    await page.waitForURL(/\/signals\/sig_/);
  });

  it('are exported as the list shows them, all pages, as CSV and as JSON, and an export can be cancelled', async () => {
    const page = await world.tab();
    await page.goto('/signals?type=wallet&sort=roi');
    await page.getByText(/ of \d+$/).waitFor();
    const { body } = await world.system.api('/v1/signals?type=wallet&sort=roi&limit=100');
    const expected = (body.data as { id: string }[]).map(({ id }) => id);
    const save = async (format: string) => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByText(`All ${expected.length} signals of this list`).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(
        new RegExp(`^sigcast-signals-\\d{4}-\\d\\d-\\d\\d\\.${format.toLowerCase()}$`),
      );
      return readFile(await download.path(), 'utf8');
    };
    const lines = (await save('CSV')).trim().split('\r\n');
    expect(lines[0]).toMatch(/^id,.*token\.symbol/);
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(expected);
    expect(JSON.parse(await save('JSON'))).toMatchObject(expected.map((id) => ({ id })));

    // An export goes on when the limit of requests frees.
    const limited = { code: 'RATE_LIMIT_EXCEEDED', message: 'Over the limit', retry_after: 1 };
    let refused = 0;
    await page.route(/limit=100/, (route) => {
      refused += 1;
      return refused > 1
        ? route.continue()
        : route.fulfill({ status: 429, json: { success: false, error: limited } });
    });
    expect(JSON.parse(await save('JSON'))).toHaveLength(expected.length);
    expect(refused).toBe(2);
    await page.unroute(/limit=100/);

    await page.route(/limit=100/, () => new Promise(() => undefined));
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    await page.getByRole('button', { name: 'Cancel export' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('have views that this browser keeps: filters, order and period under a name', async () => {
    const page = await world.tab();
    await page.goto('/signals?period=7d&status=winner&sort=roi');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('Best winners');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.goto('/signals');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'Best winners' }).click();
    await page.waitForURL(/\/signals\?period=7d&status=winner&sort=roi$/);
    await page.getByRole('button', { name: 'Status Winner' }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Delete view Best winners' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').waitFor();
    expect(await page.getByRole('link', { name: 'Best winners' }).count()).toBe(0);
  });

  it('have statistics of the type that they are filtered by, which say that other filters do not apply', async () => {
    const page = await world.tab();
    await page.goto('/signals?period=all&type=wallet&status=winner');
    const figures = page.getByRole('region', { name: 'Wallet signals' });
    await figures.getByText('Other filters apply to the list only.').waitFor();
    const { body } = await world.system.api('/v1/stats?period=all&type=wallet');
    const { total_signals: total } = body.data as { total_signals: number };
    expect(await textOf(figures)).toMatch(new RegExp(`Signals\\s+${total}\\s`));
    await page.goto('/signals?period=all&type=wallet,new');
    await page
      .getByRole('region', { name: 'All signals' })
      .getByText('Filters apply to the list only.', { exact: true })
      .waitFor();
  });

  it('have statistics that are marked as busy while another period is loaded', async () => {
    const page = await world.tab();
    await page.goto('/signals');
    const figures = page.getByRole('region', { name: 'Performance' });
    await figures.getByText('By type, and what could be realized').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/stats?period=7d&*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('radiogroup', { name: 'Period' }).getByText('7d', { exact: true }).click();
    await figures.locator('[aria-busy=true]').waitFor();
    held.resolve();
    await figures.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  });

  it('have statistics for each period that agree with the API and say how they are defined', async () => {
    const page = await world.tab();
    await page.goto('/signals');
    for (const [period, words] of [
      ['7d', '7d'],
      ['all', 'All'],
    ]) {
      await page
        .getByRole('radiogroup', { name: 'Period' })
        .getByText(words ?? '', { exact: true })
        .click();
      const { body } = await world.system.api(`/v1/stats?period=${period}`);
      const { total_signals: total, winners } = body.data as { total_signals: number; winners: number };
      await eventually(async () => {
        const figures = await textOf(page.getByRole('region', { name: 'Performance' }));
        expect(figures).toMatch(new RegExp(`Signals(, 7d)?\\s+${total}\\s+Winners\\s+${winners}\\s`));
      });
    }
    expect(page.url()).toMatch(/\/signals\?period=all$/);
    await page.reload();
    await page.getByRole('radio', { name: 'All', checked: true }).waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Win rate' }).click();
    await heading(page, 'How figures are defined').waitFor();
    expect(page.url()).toContain('#win-rate');
  });

  it('have statistics that say what the exit rule earned with them, on average and by type, and how it is defined', async () => {
    const tracker = await world.system.operator<{ token: string }>(
      ...['token', 'create', '--subject', 'tracker', '--scope', 'signals:decide'],
    );
    const { body: listed } = await world.system.api('/v1/signals?type=wallet&limit=2');
    const at = new Date().toISOString();
    const results = [
      { roi: 95.05, exited_at: at, exit: 'target' },
      { roi: -51.12, exited_at: at, exit: 'stop' },
    ];
    const observations = (listed.data as { id: string }[]).map(({ id }, index) => {
      const realizable = { rule: 'v1', entered_at: at, ...results[index] };
      return { id, observed_at: at, metrics: { holders: 7 }, realizable };
    });
    const figuresOf = async (query: string) => {
      const { body } = await world.system.api(`/v1/stats?period=all&include=realizable${query}`);
      return (body.data as { realizable: { signals: number; avg_roi: number; profitable: number } })
        .realizable;
    };
    const before = await figuresOf('&type=wallet');
    const authorization = `Bearer ${tracker.token}`;
    const { response } = await world.system.ingest(
      ...['POST', '/observations', { observations }, { authorization }],
    );
    expect(response.status).toBe(200);
    const wallet = await eventually(async () => {
      const found = await figuresOf('&type=wallet');
      expect(found.signals).toBe(before.signals + 2);
      return found;
    });
    const all = await figuresOf('');
    const page = await world.tab();
    await page.goto('/signals?period=all');
    const figures = page.getByRole('region', { name: 'Performance' });
    await figures.getByText('By type, and what could be realized').click();
    await figures.getByText(`${all.signals} positions of $100`).waitFor();
    const percent = (figure: number) => `${figure.toFixed(1).replace('-', '−')}%`;
    const shown = await textOf(figures);
    expect(shown).toContain(percent(all.avg_roi));
    expect(shown).toContain(percent(all.profitable));
    expect(shown).toMatch(
      /\d+ sold at the target, \d+ at the stop, 0 when their time was over or the signal was dead or rugged. \d+ open/,
    );
    const row = page.getByRole('table', { name: 'By type' }).getByRole('row', { name: /^Wallet/ });
    expect(await textOf(row)).toContain(percent(wallet.avg_roi));

    await page.getByRole('link', { name: 'Profitable' }).click();
    await heading(page, 'How figures are defined').waitFor();
    expect(page.url()).toContain('#profitable');
  });
});

describe('going from page to page', () => {
  it('begins at the top of a page, or at the figure that a link names', async () => {
    const page = await world.tab();
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto('/definitions');
    await page.getByRole('heading', { name: 'As of', exact: true }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Signals' }).click();
    await page.getByRole('link', { name: 'Win rate' }).click();
    await page.locator('#win-rate').waitFor();
    await eventually(async () => {
      const { y = Infinity } = (await page.locator('#win-rate').boundingBox()) ?? {};
      expect(y).toBeLessThan(100);
    });

    await page.goto('/profile');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.evaluate('scrollTo(0, 1000)');
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
    await page.getByRole('navigation').getByRole('link', { name: 'API settings' }).click();
    await eventually(async () => {
      expect(await page.evaluate('[document.activeElement.id, scrollY]')).toEqual(['main', 0]);
    });
  });

  it('leads, after signing in, to the requested page with its filters', async () => {
    const { page, context } = await world.visitor();
    const person = await signUp(page);
    await context.clearCookies();
    await page.evaluate('[localStorage, sessionStorage].forEach((storage) => storage.clear())');
    await page.goto('/signals?type=wallet&status=winner');
    await signIn(page, person);
    await heading(page, 'Signals').waitFor();
    expect(page.url()).toMatch(/\/signals\?type=wallet&status=winner$/);
  });

  it('are filtered by what is known of their risks', async () => {
    const symbol = `R${process.pid}`;
    const none = { top10_share: 0.3, mintable: false, freezable: false, honeypot: null };
    for (const [name, risks] of [
      ['Sound', none],
      ['Sold', { ...none, mintable: null, freezable: null, honeypot: false }],
      ['Unclear', { ...none, mintable: null }],
      ['Minted', { ...none, mintable: true }],
      ['Owned', { ...none, top10_share: 0.31 }],
    ] as const) {
      const signal = newSignal();
      const origin = { ...sampleOf(originSchema), risks };
      const token = { ...signal.token, symbol, name };
      const { response } = await world.system.ingest('POST', '', { ...signal, token, origin });
      expect(response.status).toBe(201);
    }
    const page = await world.tab();
    await page.goto(`/signals?search=${symbol}`);
    await eventually(async () => expect(await rows(page).count()).toBe(5));
    for (const [choice, expected] of [
      ['None known', ['Unclear', 'Sold', 'Sound']],
      ['Checked, none', ['Sold', 'Sound']],
    ] as const) {
      const set = page.getByRole('button', { name: /^Risks/ });
      if (await set.isVisible()) await set.click();
      else await addFilter(page, 'Risks');
      await page.getByRole('radio', { name: choice }).check();
      await page.keyboard.press('Escape');
      await eventually(async () => {
        const shown = await rows(page).allInnerTexts();
        expect(shown).toEqual(expected.map((name) => expect.stringContaining(name)));
      });
    }
    expect(page.url()).toMatch(/risks=none-found$/);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText(`of ${count(await totalOf(''))}`).waitFor();
  });
});
