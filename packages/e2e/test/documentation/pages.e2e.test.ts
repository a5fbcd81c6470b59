import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pageNames } from '@sigcast/guides';
import { ensureBrowser } from '@sigcast/local';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../dashboard/axe.ts';
import { colorSchemes, excessWidth, showIn } from '../dashboard/browser.ts';
import { type TestSystem, testSystem } from '../system.ts';

const paths = pageNames.map((name) => (name === 'index' ? '/docs' : `/docs/${name}`));

let system: TestSystem;
let browser: Browser;
/** Errors in browsers' consoles, and requests to other hosts. */
const complaints: string[] = [];

beforeAll(async () => {
  const logFile = join(tmpdir(), `sigcast-documentation-${process.pid}.log`);
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const executablePath = await ensureBrowser({ logFile, report });
  system = await testSystem();
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await system?.stop();
}, 30_000);

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    baseURL: system.gatewayUrl,
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(`${system.gatewayUrl}/`)) complaints.push(`asked for ${url}`);
  });
  return page;
}

describe('a page of the documentation', () => {
  it('is accessible in light and dark colours, and no wider than its window, at 390 and 1440 pixels', async () => {
    const page = await open();
    const problems: string[] = [];
    for (const path of paths) {
      await page.goto(path);
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        if ((await excessWidth(page)) > 0) problems.push(`${path} is wider than ${width}`);
        for (const colorScheme of colorSchemes) {
          await showIn(page, colorScheme);
          const found = await violations(page, ['serious', 'critical']);
          problems.push(...found.map((one) => `${path} ${width} ${colorScheme} ${one}`));
        }
      }
    }
    expect([...problems, ...complaints]).toEqual([]);
    await page.context().close();
  }, 240_000);

  it('has the same text and the same menu without any script', async () => {
    const [plain, full] = [await open({ javaScriptEnabled: false }), await open()];
    for (const path of paths) {
      await plain.goto(path);
      await full.goto(path);
      expect(await plain.locator('article').textContent()).toBe(
        (await full.locator('article').textContent())?.replaceAll(/^Copy$/gm, ''),
      );
    }
    await plain.setViewportSize({ width: 390, height: 900 });
    await plain.getByText('Pages', { exact: true }).click();
    await plain.locator('.menu').getByRole('link', { name: 'Glossary' }).click();
    expect(await plain.locator('h1').textContent()).toBe('Glossary');
    await Promise.all([plain.context().close(), full.context().close()]);
  }, 60_000);

  it('copies code as it is printed', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto('/docs/pagination');
    // Waited for from before the click on: it is shown for a moment only.
    await Promise.all([
      page.getByRole('button', { name: 'Copied' }).waitFor(),
      page.getByRole('button', { name: 'Copy' }).last().click(),
    ]);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('node read-all.mjs');
    await page.context().close();
  });

  it('redirects old links to the reference, which was at /docs before', async () => {
    const page = await open();
    await page.goto('/docs#tag/signals');
    await page.waitForURL(/\/docs\/reference#tag\/signals$/);
    await page.context().close();
  });
});

describe('the reference', () => {
  it.each([390, 1440])(
    'at %i pixels breaks no code in tables, links to no other site, and leads back to the documentation',
    async (width) => {
      const page = await open({ viewport: { width, height: 900 } });
      await page.goto('/docs/reference');
      const codes = page.locator('.markdown table code');
      await codes.filter({ hasText: 'UNSUPPORTED_MEDIA_TYPE' }).waitFor();
      const lines = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.markdown table code')].map((code) => code.getClientRects().length)`,
      );
      expect(new Set(lines)).toEqual(new Set([1]));
      expect(await excessWidth(page)).toBeLessThanOrEqual(0);
      const links = await Promise.all(
        (await page.locator('a[href]:visible').all()).map((link) => link.getAttribute('href')),
      );
      const foreign = links.filter(
        (href) => /^(?:https?:)?\/\//.test(href ?? '') && !href?.startsWith(system.gatewayUrl),
      );
      expect(foreign.filter((href) => href !== 'https://www.standardwebhooks.com')).toEqual([]);
      await page.getByRole('link', { name: '← Documentation' }).click();
      expect(await page.locator('h1').textContent()).toBe('Sigcast documentation');
      expect(complaints).toEqual([]);
      await page.context().close();
    },
    60_000,
  );
});
