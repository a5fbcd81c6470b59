import { openGuides } from '@sigcast/guides';
import { eventually } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../dashboard/axe.ts';
import { copyUntil, excessWidth } from '../dashboard/browser.ts';
import { useDashboard } from '../dashboard/use-dashboard.ts';

const pages = openGuides().texts.filter(({ type }) => type.startsWith('text/html'));
const paths = [...pages.map(({ path }) => path), '/record', '/docs/nowhere', '/nowhere'];

const world = useDashboard();

/** Buttons that copy, also one that has just done so. */
const copies = { name: /^Cop(y|ied)$/ };

/** The text of a page without what scripts add. */
function textOf(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const article = document.querySelector('article').cloneNode(true);
    for (const added of article.querySelectorAll('button, .near')) added.remove();
    return article.textContent.replaceAll(/\\n+/g, '\\n');
  })()`);
}

describe('a page of the documentation', () => {
  it('is accessible and no wider than its window, wide and narrow, and has the same text and menu without any script', async () => {
    const { page } = await world.visitor();
    const { page: plain } = await world.visitor({ javaScriptEnabled: false });
    const problems: string[] = [];
    for (const path of paths) {
      // The record waits for its figures a short time only.
      await eventually(async () => {
        await page.goto(path);
        await plain.goto(path);
        expect(await textOf(plain)).toBe(await textOf(page));
      });
      problems.push(...(await problemsOf(page, path)));
    }
    expect(problems).toEqual([]);
    await plain.setViewportSize({ width: 390, height: 900 });
    await plain.goto('/docs');
    await plain.getByText('Pages', { exact: true }).click();
    await plain.locator('.menu').getByRole('link', { name: 'Glossary' }).click();
    expect(await plain.locator('h1').textContent()).toBe('Glossary');
  });

  it('marks the link to the section that is read, and shows the whole of an answer on request', async () => {
    const { page } = await world.visitor({ viewport: { width: 1440, height: 900 } });
    await page.goto('/docs/quick-start');
    const read = (hasText: string) => page.locator('.contents [aria-current]', { hasText });
    await page.getByRole('link', { name: '3. Read statistics', exact: true }).click();
    await read('3. Read statistics').waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await read('Next steps').waitFor();
    const answer = page.locator('.answer').first();
    const height = async () => (await answer.boundingBox())?.height ?? 0;
    const before = await height();
    await answer.getByRole('button', { name: 'Show all' }).click();
    expect(await height()).toBeGreaterThan(before * 1.2);
  });

  it('copies code as it is printed', async () => {
    const { page } = await world.visitor();
    await page.goto('/docs/pagination');
    await copyUntil(
      () => page.getByRole('button', copies).last().click(),
      page.getByRole('button', { name: 'Copied' }),
    );
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('node read-all.mjs');
  });
});

describe('the search of the documentation', () => {
  it('opens by a key, finds headings, errors and operations in spite of a mistyped letter, and leads there by keys alone, also on a phone', async () => {
    const { page } = await world.visitor({ viewport: { width: 360, height: 740 } });
    const field = page.getByRole('combobox', { name: 'Search the documentation' });
    await page.goto('/docs');
    await page.keyboard.press('/');
    await field.fill('as_of stat');
    await page.getByRole('option', { name: /^Get statistics API reference/ }).waitFor();
    await field.fill('rate_limit_exceeded');
    await page
      .getByRole('option', { name: /RATE_LIMIT_EXCEEDED/ })
      .first()
      .waitFor();
    expect(await excessWidth(page)).toBeLessThanOrEqual(0);
    expect(await problemsOf(page, 'search')).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/errors#RATE_LIMIT_EXCEEDED$/);
    await page.keyboard.press('Control+k');
    await field.fill('zzz');
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('option', { name: /^Quick start/ }).waitFor();
    await field.fill('signature verifcation');
    await page.getByRole('option', { name: /^How to verify a signature/ }).waitFor();
    await field.fill('');
    await page.getByRole('option', { name: /^API reference/ }).waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
  });

  it('finds a page by its title before sections that have the word in their text', async () => {
    const { page } = await world.visitor();
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search the documentation' }).fill('retry');
    expect(await page.getByRole('option').first().getAttribute('href')).toBe('/docs/webhook-delivery');
  });

  it('looks for the words of an address at which no page is', async () => {
    const { page } = await world.visitor();
    await page.goto('/docs/quickstart');
    await page.locator('.near').getByRole('link', { name: 'Quick start', exact: true }).waitFor();
    await page.goto('/docs/list-webhooks');
    await page.getByRole('button', { name: 'Search the documentation' }).click();
    await page.getByRole('option', { name: /^List webhooks/ }).click();
    await page.waitForURL(/\/docs\/reference\/webhooks#listWebhooks$/);
  });
});

describe('a sample of the documentation', () => {
  it('is shown in one language, which all pages remember', async () => {
    const { page } = await world.visitor();
    await page.goto('/docs/quick-start');
    await page.getByText('import os').first().waitFor({ state: 'hidden' });
    await page.getByRole('radio', { name: 'Python' }).first().check();
    await page.goto('/docs/reference/statistics');
    await page.getByText('import os').first().waitFor();
    await page.getByText('import { Sigcast }').first().waitFor({ state: 'hidden' });
    expect(await page.getByRole('radio', { name: 'Python', checked: true }).count()).toBeGreaterThan(1);
  });

  it('takes the reader’s key, which it shows shortened, copies in full, runs with, and forgets with the tab', async () => {
    const { page, tab } = await world.visitor();
    const { apiKey } = world.system;
    await page.goto('/docs/quick-start');
    await page.getByRole('button', { name: 'Run' }).first().click();
    await page.getByRole('textbox', { name: 'API key' }).fill('a key');
    await page.getByRole('button', { name: 'Use key' }).click();
    await page.getByText('An API key begins with').waitFor();
    await page.getByRole('textbox', { name: 'API key' }).fill(apiKey);
    await page.getByRole('button', { name: 'Use key' }).click();
    await page.getByText(/Your answer 200/).waitFor();
    const sample = page.locator('.sample').first();
    expect(await sample.textContent()).toContain(`Bearer sk_…${apiKey.slice(-4)}`);
    expect(await page.locator('body').textContent()).not.toContain(apiKey);
    await copyUntil(
      () => sample.getByRole('button', copies).first().click(),
      page.getByRole('button', { name: 'Copied' }),
    );
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`Bearer ${apiKey}"`);
    const other = await tab();
    await other.goto('/docs/quick-start');
    expect(await other.locator('.sample').first().textContent()).toContain('Bearer $SIGCAST_API_KEY');
  });
});

describe('the reference', () => {
  it('links to no other site but that of the standard for webhooks', async () => {
    const html = pages
      .filter(({ path }) => path.startsWith('/docs/reference'))
      .map(({ content }) => content());
    const links = [...html.join('').matchAll(/href="(https?:[^"]+)"/g)].map(([, href]) => href);
    expect(new Set(links)).toEqual(new Set(['https://www.standardwebhooks.com']));
  });
});
