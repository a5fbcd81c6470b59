import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pageNames } from '@sigcast/guides';
import { ensureBrowser } from '@sigcast/local';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type TestSystem, testSystem } from '../system.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const paths = pageNames.map((name) => (name === 'index' ? '/docs' : `/docs/${name}`));

let system: TestSystem;
let browser: Browser;
/** What browsers complained of, and what they asked of others. */
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

type Finding = { id: string; impact: string; nodes: { html: string }[] };

/** What axe-core finds that keeps somebody from using a page. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Finding[] };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** How much wider than its window a page is, in pixels. */
function excess(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

describe('a page of the documentation', () => {
  it.each(['light', 'dark'] as const)(
    'can be used by everybody in %s colours, and on 390 pixels nothing but code and tables scrolls sideways',
    async (colorScheme) => {
      const page = await open({ colorScheme });
      const problems: string[] = [];
      for (const path of paths) {
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(path);
          if ((await excess(page)) > 0) problems.push(`${path} is wider than ${width}`);
          problems.push(...(await findings(page)).map((found) => `${path} ${width} ${found}`));
        }
      }
      expect([...problems, ...complaints]).toEqual([]);
      await page.context().close();
    },
    120_000,
  );

  it('has the same text, and leads to every other page, without any script', async () => {
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
    await page.getByRole('button', { name: 'Copy' }).last().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('node read-all.mjs');
    await page.context().close();
  });

  it('leads links into the reference from when it was at /docs to where it is', async () => {
    const page = await open();
    await page.goto('/docs#tag/signals');
    await page.waitForURL(/\/docs\/reference#tag\/signals$/);
    await page.context().close();
  });
});

describe('the reference', () => {
  it.each([390, 1440])(
    'on %i pixels breaks no code, leads nowhere else, and has a way back',
    async (width) => {
      const page = await open({ viewport: { width, height: 900 } });
      await page.goto('/docs/reference');
      const codes = page.locator('.markdown table code');
      await codes.filter({ hasText: 'UNSUPPORTED_MEDIA_TYPE' }).waitFor();
      const lines = await page.evaluate<number[]>(
        `[...document.querySelectorAll('.markdown table code')].map((code) => code.getClientRects().length)`,
      );
      expect(new Set(lines)).toEqual(new Set([1]));
      expect(await excess(page)).toBeLessThanOrEqual(0);
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
