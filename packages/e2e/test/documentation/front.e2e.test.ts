import { eventually } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../dashboard/axe.ts';
import { heading } from '../dashboard/browser.ts';
import { useDashboard } from '../dashboard/use-dashboard.ts';

/** How much compressed script the page may load, in bytes. */
const scriptBudget = 10_000;

const world = useDashboard();

describe('the page at /', () => {
  it('is accessible, fits a phone, has the same text without any script, and leads a stranger to an account', async () => {
    const { page } = await world.visitor();
    const { page: plain } = await world.visitor({ javaScriptEnabled: false });
    const sizes = new Map<string, Promise<number>>();
    page.on('requestfinished', (request) => {
      if (request.resourceType() !== 'script' || sizes.has(request.url())) return;
      const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
      sizes.set(request.url(), size);
    });
    // The page waits for its figures a short time only.
    await eventually(async () => {
      await page.goto('/');
      await plain.goto('/');
      const text = await page.locator('main').textContent();
      expect(await plain.locator('main').textContent()).toBe(text?.replaceAll(/^Copy$/gm, ''));
    });
    expect(await problemsOf(page, '/')).toEqual([]);
    const scripts = await Promise.all(sizes.values());
    expect(scripts.reduce((sum, size) => sum + size, 0)).toBeLessThan(scriptBudget);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.getByRole('link', { name: 'Sigcast' }).click();
    await page.getByRole('link', { name: 'Create an account' }).first().click();
    await heading(page, 'Create an account').waitFor();
  });

  it('has documentation, reference and record in a menu of the header on a phone, without any script', async () => {
    const { page } = await world.visitor({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    await page.goto('/');
    await page.locator('.look-menu summary').click();
    const links = page.getByRole('navigation', { name: 'Main, folded' }).getByRole('link');
    expect(await links.allTextContents()).toEqual(['Documentation', 'API reference', 'Record']);
    await links.last().click();
    await heading(page, 'Record').waitFor();
  });

  it('leads somebody who is signed in to the dashboard', async () => {
    const page = await world.tab();
    await page.goto('/');
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Open the dashboard' }).first().click();
    await heading(page, 'Getting started').waitFor();
  });
});
