import { eventually } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { problemsOf } from './axe.ts';
import { heading, hold } from './browser.ts';
import { createKey } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

it('the search finds pages, signals, webhooks, keys and the documentation by keyboard, on every page', async () => {
  const page = await world.tab();
  const key = await createKey(page, 'Night watch');
  const content = JSON.stringify({ url: 'https://example.com/night-hook', events: ['signal.new'] });
  const headers = { authorization: `Bearer ${key}` };
  const { body } = await world.system.api('/v1/webhooks', { method: 'POST', headers, body: content });
  const webhook = (body.data as { id: string }).id;
  const signal = await world.system.createSignal();
  const { body: found } = await world.system.api(`/v1/signals/${signal}`, { headers });
  const { symbol } = (found.data as { token: { symbol: string } }).token;

  const open = async (text: string, result: RegExp) => {
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search everything').fill(text);
    await page.getByRole('dialog').getByRole('button', { name: result }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Search everything').waitFor({ state: 'hidden' });
  };
  await page.goto('/usage');
  await heading(page, 'Usage').waitFor();
  await open('night-hook', /night-hook/);
  await page.waitForURL(`**/webhooks/${webhook}`);
  await open('night w', /^Night watch/);
  await page.waitForURL('**/profile/api');
  await open('create an', /^Create an API key/);
  await page
    .getByRole('dialog', { name: 'Create an API key' })
    .getByRole('button', { name: 'Close' })
    .click();
  await open('how figures', /^How figures/);
  await page.waitForURL('**/definitions');
  for (const text of [symbol.slice(0, -1).toLowerCase(), signal]) {
    await page.goto('/usage');
    await heading(page, 'Usage').waitFor();
    await open(text, new RegExp(`^${symbol} ·`));
    await page.waitForURL('**/signals/sig_*');
  }

  await open('verify webhooks', /^Verify webhooks/);
  await page.waitForURL('**/docs/**');

  await page.goBack();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search everything').fill('no such thing anywhere');
  await page.getByText('Nothing is called “no such thing anywhere”.').waitFor();
  expect(await problemsOf(page, 'search', ['serious', 'critical'])).toEqual([]);
});

it('the search takes what is typed from the first key on, and the page takes none of it', async () => {
  const page = await world.tab();
  const loaded = await hold(page, '**/palette*.js');
  await page.goto('/usage');
  await heading(page, 'Usage').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('gs');
  loaded();
  await page.keyboard.type('ho', { delay: 20 });
  const field = page.getByLabel('Search everything');
  await field.waitFor();
  await page.keyboard.type('ok');
  await eventually(async () => expect(await field.inputValue()).toBe('gshook'));
  expect(new URL(page.url()).pathname).toBe('/usage');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'hidden' });
  await page.keyboard.type('gp');
  await heading(page, 'Profile').waitFor();
});

it('a question mark lists the shortcuts of the page, except while somebody types', async () => {
  const page = await world.tab();
  await page.setViewportSize({ width: 800, height: 900 });
  await page.goto('/signals');
  // The focus is in a control that takes no text, and on some keyboards the character needs no Shift.
  await page.getByRole('radiogroup', { name: 'Period' }).getByText('7d', { exact: true }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Next and previous signal').waitFor();
  await page.getByRole('dialog').getByText('j k', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await heading(page, 'Webhooks').waitFor();
  await page.keyboard.press('Shift+?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  await page.getByRole('dialog').getByLabel('Address').fill('');
  await page.keyboard.type('https://example.com/?/');
  expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0);
});
