import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { serveSamples } from './sample-api.ts';
import { useDashboard } from './use-dashboard.ts';

/** So many pixels of a page become one of its stored picture: letters become shades, so that their edges do not count. */
const shrink = 6;
const size = { width: 1440, height: 900 };
/** A pixel of a shrunk picture differs if its red, green or blue, of 255, does by more; and so many may. */
const [tolerance, mostDifferent] = [24, 40];

const world = useDashboard();

const pages = {
  'getting-started': '/getting-started',
  signals: '/signals',
  signal: '/signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z',
  events: '/events',
  backtests: '/backtests',
  backtest: '/backtests/bt_01J9ZR0B2D4F6H8K0M2P4R6T8V',
  webhooks: '/webhooks',
  webhook: '/webhooks/wh_01J9ZR0B2D4F6H8K0M2P4R6T8V',
  delivery: '/webhooks/wh_01J9ZR0B2D4F6H8K0M2P4R6T8V?delivery=evt_1',
  usage: '/usage',
  requests: '/requests',
  keys: '/profile/api',
  profile: '/profile',
  members: '/profile/members',
  security: '/profile/security',
  audit: '/profile/audit',
  definitions: '/definitions',
  'not-found': '/nothing/here',
} as const;

/** Draws two pictures, shrunk, and counts in how many pixels they differ; without a second one, only shrinks the first. */
const compare = `async ([now, before, shrink, tolerance]) => {
  const drawn = async (url, scale) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const [width, height] = [image.width / scale, image.height / scale];
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    return { canvas, width, bytes: context.getImageData(0, 0, width, height).data };
  };
  const one = await drawn(now, shrink);
  const picture = one.canvas.toDataURL('image/png');
  if (before === null) return { picture, different: 0, rows: [] };
  const other = await drawn(before, 1);
  const rows = new Set();
  let different = one.bytes.length === other.bytes.length ? 0 : Infinity;
  for (let at = 0; at < one.bytes.length && different !== Infinity; at += 4) {
    if ([0, 1, 2].every((n) => Math.abs(one.bytes[at + n] - other.bytes[at + n]) <= tolerance)) continue;
    different += 1;
    rows.add(Math.floor(at / 4 / one.width) * shrink);
  }
  return { picture, different, rows: [...rows] };
}`;

type Comparison = { picture: string; different: number; rows: number[] };

const urlOf = (png: Buffer) => `data:image/png;base64,${png.toString('base64')}`;

/** How many places in view have yet to load what they show. */
const unseen = `[...document.querySelectorAll('[data-when-seen], [aria-label=Loading]')].filter((place) =>
  place.getBoundingClientRect().top < innerHeight && place.textContent === '' && place.querySelector('svg') === null).length`;

/** Waits until the page shows all that it has loaded, and takes a picture of what is in view. */
async function pictureOf(page: Page, path: string): Promise<Buffer> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  let before: Uint8Array = Buffer.alloc(0);
  return eventually(async () => {
    expect(await page.evaluate(unseen)).toBe(0);
    const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const isStill = taken.equals(before);
    before = taken;
    expect(isStill).toBe(true);
    return taken;
  });
}

describe('the look of a page', () => {
  it.each(Object.entries(pages))('%s is that of its stored picture', async (name, path) => {
    const page = await world.tab();
    const blank = await world.tab();
    await page.setViewportSize(size);
    await serveSamples(page);
    const png = await pictureOf(page, path);
    const file = fileURLToPath(new URL(`pictures/${name}.png`, import.meta.url));
    const isStored = existsSync(file) && process.env.STORE_PICTURES === undefined;
    const stored = isStored ? urlOf(readFileSync(file)) : undefined;
    const given = JSON.stringify([urlOf(png), stored, shrink, tolerance]);
    const { picture, different, rows } = await blank.evaluate<Comparison>(`(${compare})(${given})`);
    if (stored === undefined) {
      writeFileSync(file, Buffer.from(picture.replace(/^.*,/, ''), 'base64'));
      if (process.env.STORE_PICTURES === undefined) throw new Error(`${file} was missing, and is stored now`);
      return;
    }
    const where = `at ${Math.min(...rows)} to ${Math.max(...rows)} px`;
    expect(different, `${name} looks different ${where}`).toBeLessThanOrEqual(mostDifferent);
  });
});
