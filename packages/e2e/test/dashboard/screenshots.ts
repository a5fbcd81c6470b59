/**
 * Takes a picture of every page and of every state a page can be in, at five widths, light and dark, and puts them side by side
 * on a contact sheet, `index.html`.
 * Usage: node packages/e2e/test/dashboard/screenshots.ts [folder] [pattern of names, such as '^webhook.*360']
 */
import { equal } from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startBackingServices } from '@sigcast/local';
import { eventually, startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { sharedSystem } from '../system.ts';
import { worker } from '../worker.ts';
import { dashboardWorld, heading, type Visitor, type VisitorOptions } from './browser.ts';
import { signIn } from './people.ts';
import { makeCast } from './screenshot-people.ts';
import { type Scene, scenesOf } from './screenshot-scenes.ts';

const folder = resolve(process.argv[2] ?? join(tmpdir(), 'sigcast-screenshots'));
const only = new RegExp(process.argv[3] ?? '');

const sizes = [
  { width: 360, height: 780 },
  { width: 768, height: 1024 },
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];
const looks = sizes.flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
);

await using backing = await startBackingServices({
  dataDir: join(tmpdir(), `sigcast-screenshots-${process.pid}`),
  env: process.env,
  report: (line) => process.stderr.write(`${line}\n`),
  ephemeral: true,
});
Object.assign(process.env, {
  MONGODB_URI: backing.mongodbUri,
  REDIS_URL: backing.redisUrl,
  AMQP_URL: backing.amqpUrl,
});
await using _ = worker;
const world = await dashboardWorld(await sharedSystem());
await using receiver = await startReceiver();
mkdirSync(folder, { recursive: true });

const scenes = scenesOf(await makeCast(world, receiver));
const problems: string[] = [];
const taken: string[] = [];
for (const look of looks) {
  const seats: (readonly [Scene, Visitor])[] = [];
  // One after the other, because checking a password takes much CPU time.
  for (const scene of scenes) {
    if (wantedOf(scene, look).length > 0) seats.push([scene, await seat(scene, look)]);
  }
  await Promise.all(seats.map(([scene, visitor]) => takeScene(scene, look, visitor)));
}
writeFileSync(join(folder, 'index.html'), contactSheet());
process.stderr.write(`${taken.length} pictures in ${join(folder, 'index.html')}\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 && taken.length > 0 ? 0 : 1;

type Look = Required<Pick<VisitorOptions, 'viewport' | 'colorScheme'>>;

function nameOf(shot: string, { viewport, colorScheme }: Look): string {
  return `${shot}.${viewport.width}-${colorScheme}`;
}

function wantedOf({ shots }: Scene, look: Look) {
  return Object.entries(shots).filter(([shot]) => only.test(nameOf(shot, look)));
}

/** A browser in which the person of a scene is signed in. */
async function seat({ as }: Scene, look: Look): Promise<Visitor> {
  const visitor = await world.visitor(look);
  if (as === undefined) return visitor;
  await visitor.page.goto('/sign-in?to=/definitions');
  await signIn(visitor.page, as);
  await heading(visitor.page, 'How figures are defined').waitFor();
  return visitor;
}

async function takeScene(scene: Scene, look: Look, { page, context, complaints }: Visitor): Promise<void> {
  for (const [shot, show] of wantedOf(scene, look)) {
    const name = nameOf(shot, look);
    try {
      await show(page);
      await picture(page, name);
    } catch (error) {
      problems.push(`${name}: ${String(error)}`);
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  problems.push(...complaints);
  await context.close();
}

/** Takes a picture once the page has loaded everything, or at once if the picture shows the loading. */
async function picture(page: Page, name: string): Promise<void> {
  if (!/loading|^offline|^limited/.test(name)) {
    await page.getByRole('heading').or(page.getByRole('alert')).first().waitFor();
    await eventually(async () => equal(await page.getByLabel('Loading', { exact: true }).count(), 0));
  }
  // Charts and panels are animated.
  await page.waitForTimeout(350);
  // Dialogs and menus lie within the window, so a picture of the whole page would not fit.
  const above = page.locator('[role=dialog], [role=menu]');
  const isCovered = /^offline|^limited/.test(name) || (await above.count()) > 0;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !isCovered });
  taken.push(name);
}

/** A row for each shot, a column for each width and colour scheme. */
function contactSheet(): string {
  const columns = looks.map((look) => nameOf('', look));
  const shots = [...new Set(taken.map((name) => name.slice(0, name.lastIndexOf('.'))))].sort();
  const cell = (name: string) =>
    `<td>${taken.includes(name) ? `<a href="${name}.png"><img src="${name}.png" alt="${name}" loading="lazy" width="240"></a>` : ''}</td>`;
  const rows = shots.map(
    (shot) => `<tr><th>${shot}</th>${columns.map((column) => cell(shot + column)).join('')}</tr>`,
  );
  const heads = columns.map((column) => `<th>${column.slice(1)}</th>`).join('');
  return `<!doctype html><meta charset="utf-8"><title>Every page</title><table style="font:12px sans-serif" cellpadding="6"><tr><th></th>${heads}</tr>${rows.join('')}</table>`;
}
