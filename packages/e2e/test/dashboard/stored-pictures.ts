/**
 * Takes anew the pictures that are stored: README's, of the demo that `npx pnpm@12 start` runs, and the card that other sites
 * show beside a link to a page.
 * Usage: node packages/e2e/test/dashboard/stored-pictures.ts
 */
import { equal } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { motif } from '@sigcast/guides';
import { ensureBrowser } from '@sigcast/local';
import { readFonts, readSign, readStyles } from '@sigcast/look/files';
import { eventually, startReceiver } from '@sigcast/testing';
import { chromium, type Page } from 'playwright-core';
import { colorSchemes, heading, showIn } from './browser.ts';
import { signIn } from './people.ts';

const file = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const demo = JSON.parse(readFileSync(file('.local/demo.json'), 'utf8')) as Readonly<Record<string, string>>;
const { gateway_url: gateway = '', dashboard_email: email = '', dashboard_password: password = '' } = demo;

const report = (line: string) => process.stderr.write(`${line}\n`);
const executablePath = await ensureBrowser({ logFile: join(tmpdir(), 'sigcast-pictures.log'), report });
await using browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const blank = await browser.newPage();
await takeDashboard();
await takeCard();

async function takeDashboard(): Promise<void> {
  await using receiver = await startReceiver();
  receiver.script('/alerts', 503);
  const headers = { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' };
  const url = `${receiver.url}/alerts`;
  const body = JSON.stringify({ url, events: ['signal.new'], description: 'Trading bot' });
  const made = await fetch(`${gateway}/v1/webhooks`, { method: 'POST', headers, body });
  const { data } = (await made.json()) as { data: { id: string } };
  const webhook = `/v1/webhooks/${data.id}`;
  try {
    const delivery = await eventually(
      async () => {
        const answer = await fetch(`${gateway}${webhook}/deliveries?status=delivered&limit=100`, { headers });
        const { data: sent } = (await answer.json()) as { data: { id: string; attempt_count: number }[] };
        const [tried] = sent.filter(({ attempt_count: attempts }) => attempts === 2);
        equal(typeof tried?.id, 'string');
        return tried?.id ?? '';
      },
      { timeoutMs: 300_000, everyMs: 2_000 },
    );
    const page = await browser.newPage({ baseURL: gateway, viewport: { width: 1280, height: 800 } });
    await page.goto('/sign-in?to=/signals');
    await signIn(page, { email }, password);
    await heading(page, 'Signals').waitFor();
    for (const scheme of colorSchemes) {
      await page.goto('/signals?status=winner');
      await page.getByRole('table', { name: 'Signals' }).getByRole('link').nth(5).waitFor();
      await save(page, `signals-${scheme}`, scheme);
      await page.goto(`/webhooks/${data.id}?delivery=${delivery}`);
      await page.getByRole('dialog').getByRole('region', { name: 'Attempt 2' }).waitFor();
      await save(page, `delivery-${scheme}`, scheme);
    }
  } finally {
    await fetch(gateway + webhook, { method: 'DELETE', headers });
  }
}

async function save(page: Page, name: string, scheme: (typeof colorSchemes)[number]): Promise<void> {
  await showIn(page, scheme);
  const png = (await page.screenshot()).toString('base64');
  const webp = await blank.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png}';
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.85).split(',')[1];
  })()`);
  writeFileSync(file(`docs/pictures/${name}.webp`), Buffer.from(webp, 'base64'));
}

async function takeCard(): Promise<void> {
  const fonts = new Map(
    readFonts().map(({ name, content }) => [name, `data:font/woff2;base64,${content.toString('base64')}`]),
  );
  const styles =
    readStyles((name) => fonts.get(name) ?? '') +
    readFileSync(file('packages/guides/src/assets/page.css'), 'utf8');
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 }, colorScheme: 'dark' });
  await page.setContent(`<!doctype html><style>${styles}</style><style>
    :root { color-scheme: dark }
    body { box-sizing: border-box; width: 1200px; height: 630px; margin: 0; padding: 72px 80px; display: flex; flex-direction: column;
      font-family: Geist; color: var(--text); background: var(--ground) }
    body > * { max-width: none }
    .brand { display: flex; align-items: center; gap: 20px; font-size: 36px; font-weight: 600 }
    .brand svg { width: 56px; height: 56px }
    h1 { margin: 40px 0 14px; font-size: 68px; font-weight: 500; letter-spacing: -0.025em; line-height: 1.1 }
    h1 + p { margin: 0; font-size: 30px; color: var(--quiet) }
    .motif { margin: auto 0 0; height: 170px }
    </style><div class="brand">${readSign()}Sigcast</div><h1>Token signals with a record<br>you can verify</h1>
    <p>REST API, exact statistics, signed webhooks</p>${motif('winner').replace('<svg', '<svg preserveAspectRatio="none"')}`);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.screenshot({ path: file('packages/guides/src/assets/card.png') });
}
