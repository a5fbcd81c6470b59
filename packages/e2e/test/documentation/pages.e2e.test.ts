import { pageNames } from '@sigcast/guides';
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../dashboard/axe.ts';
import { excessWidth } from '../dashboard/browser.ts';
import { useDashboard } from '../dashboard/use-dashboard.ts';

const paths = [...pageNames.map((name) => (name === 'index' ? '/docs' : `/docs/${name}`)), '/record'];

const world = useDashboard();

describe('a page of the documentation', () => {
  it('is accessible and no wider than its window, wide and narrow, and has the same text and menu without any script', async () => {
    const { page } = await world.visitor();
    const { page: plain } = await world.visitor({ javaScriptEnabled: false });
    const problems: string[] = [];
    for (const path of paths) {
      await page.goto(path);
      await plain.goto(path);
      const text = await page.locator('article').textContent();
      expect(await plain.locator('article').textContent()).toBe(text?.replaceAll(/^Copy$/gm, ''));
      problems.push(...(await problemsOf(page, path, ['serious', 'critical'])));
    }
    expect(problems).toEqual([]);
    await plain.setViewportSize({ width: 390, height: 900 });
    await plain.getByText('Pages', { exact: true }).click();
    await plain.locator('.menu').getByRole('link', { name: 'Glossary' }).click();
    expect(await plain.locator('h1').textContent()).toBe('Glossary');
  });

  it('copies code as it is printed, and leads old links to the reference, which was at /docs before', async () => {
    const { page } = await world.visitor();
    await page.goto('/docs/pagination');
    // Waited for from before the click on: it is shown for a moment only.
    await Promise.all([
      page.getByRole('button', { name: 'Copied' }).waitFor(),
      page.getByRole('button', { name: 'Copy' }).last().click(),
    ]);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('node read-all.mjs');
    await page.goto('/docs#tag/signals');
    await page.waitForURL(/\/docs\/reference#tag\/signals$/);
  });
});

describe('the reference', () => {
  it('breaks no code in tables, links to no other site, and leads back to the documentation', async () => {
    const { page } = await world.visitor();
    await page.goto('/docs/reference');
    const codes = page.locator('.markdown table code');
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await codes.filter({ hasText: 'UNSUPPORTED_MEDIA_TYPE' }).waitFor();
      const lines = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.markdown table code')].map((code) => code.getClientRects().length)`,
      );
      expect(new Set(lines)).toEqual(new Set([1]));
      expect(await excessWidth(page)).toBeLessThanOrEqual(0);
    }
    const hrefs = await Promise.all(
      (await page.locator('a[href]:visible').all()).map((link) => link.getAttribute('href')),
    );
    const foreign = hrefs.filter(
      (href) => /^(?:https?:)?\/\//.test(href ?? '') && !href?.startsWith(world.system.gatewayUrl),
    );
    expect(foreign.filter((href) => href !== 'https://www.standardwebhooks.com')).toEqual([]);
    await page.getByRole('link', { name: '← Documentation' }).click();
    expect(await page.locator('h1').textContent()).toBe('Sigcast documentation');
  });
});
