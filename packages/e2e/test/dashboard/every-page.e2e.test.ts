import { eventually, startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import {
  colorSchemes,
  type DashboardWorld,
  dashboardWorld,
  excessWidth,
  heading,
  showIn,
} from './browser.ts';
import { createKey, liftLimits, newHolder, signUp } from './people.ts';
import { makeSignals } from './signals.ts';

/** How much compressed script a first visit may load, in bytes. */
const scriptBudget = 120_000;

let world: DashboardWorld;

beforeAll(async () => {
  world = await dashboardWorld();
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
}, 30_000);

/** Serious and critical findings of axe-core. */
const findings = (page: Page) => violations(page, ['serious', 'critical']);

/** Waits until the page has loaded everything. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await eventually(async () => expect(await page.getByLabel('Loading', { exact: true }).count()).toBe(0));
}

describe('every page', () => {
  it('is accessible, light and dark, and its browser reports no errors', async () => {
    const maker = await world.visitor();
    await using receiver = await startReceiver();
    const person = await signUp(maker.page);
    await liftLimits(world.system, person);
    const key = await createKey(maker.page, 'Everywhere');
    await makeSignals(world.system, 25);
    const addWebhook = async (url: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const content = JSON.stringify({ url, events: ['signal.new'] });
      const { body } = await world.system.api('/v1/webhooks', { method: 'POST', headers, body: content });
      return body.data as { id: string };
    };
    receiver.script('/failing', 500, 500, 500);
    const failing = await addWebhook(`${receiver.url}/failing`);
    const hook = await addWebhook(receiver.url);
    const signal = await world.system.createSignal();
    await maker.page.goto(`/webhooks/${failing.id}`);
    await maker.page.getByRole('table', { name: 'Deliveries' }).getByText('Retrying').waitFor();

    const problems: string[] = [];
    const { page, complaints } = maker;
    const look = async (name: string, shown = page) => {
      for (const colorScheme of colorSchemes) {
        await showIn(shown, colorScheme);
        for (const found of await findings(shown)) problems.push(`${colorScheme} ${name} ${found}`);
      }
    };
    for (const path of [
      ...['/getting-started', '/signals', `/signals/${signal}`, '/signals?type=wallet&status=dead'],
      ...['/signals?symbol=none', '/signals?sort=-roi&from=2026-01-01'],
      ...['/backtests', '/webhooks', `/webhooks/${hook.id}`, `/webhooks/${failing.id}?event=signal.new`],
      ...['/usage', '/profile', '/profile/api', '/definitions'],
    ]) {
      await page.goto(path);
      await settled(page);
      await look(path);
    }
    for (const [path, role, name] of [
      ['/profile/api', 'button', 'Create API key'],
      ['/profile/api', 'button', 'Rotate Everywhere'],
      ['/profile/api', 'button', 'Revoke Everywhere'],
      ['/webhooks', 'button', 'Add webhook'],
      [`/webhooks/${hook.id}`, 'link', 'signal.new'],
      [`/webhooks/${failing.id}`, 'link', 'signal.new'],
    ] as const) {
      await page.goto(path);
      await page.getByRole(role, { name }).first().click();
      await page.getByRole('dialog').waitFor();
      await settled(page);
      await look(name);
    }
    await page.goto('/definitions');
    await page.getByRole('button', { name: person.email }).click();
    await look('menu');
    const stranger = await world.visitor();
    for (const path of ['/sign-in', '/sign-up']) {
      await stranger.page.goto(path);
      await settled(stranger.page);
      await look(path, stranger.page);
    }
    complaints.push(...stranger.complaints);
    await stranger.context.close();
    expect(problems).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  it('is no wider than the screen of a phone', async () => {
    const { page } = await newHolder(world, { viewport: { width: 360, height: 740 } });
    const signal = await world.system.createSignal();
    const problems: string[] = [];
    for (const path of [
      ...['/getting-started', '/signals', `/signals/${signal}`, '/signals?sort=-roi&from=2026-01-01'],
      ...['/backtests', '/webhooks', '/usage', '/profile', '/profile/api'],
    ]) {
      await page.goto(path);
      await settled(page);
      const excess = await excessWidth(page);
      if (excess > 0) problems.push(`${path} is ${excess} px too wide`);
      for (const found of await findings(page)) problems.push(`${path} ${found}`);
    }
    expect(problems).toEqual([]);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Signals' }).click();
    await heading(page, 'Signals').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }, 120_000);

  it('keeps the Signals page inside its cards at 1024 px, with every column of the list', async () => {
    const { page } = await newHolder(world, { viewport: { width: 1024, height: 800 } });
    await makeSignals(world.system, 25);
    await page.goto('/signals');
    await settled(page);
    const list = page.getByRole('table', { name: 'Signals' });
    expect(await list.locator('thead th:visible').count()).toBe(9);
    const outside = await page.evaluate(`[...document.querySelectorAll('section')].flatMap((card) => {
      const { right } = card.getBoundingClientRect();
      return [...card.querySelectorAll(':not([aria-label="Signals"], [aria-label="Signals"] *)')]
        .filter((part) => part.getBoundingClientRect().right > right)
        .map((part) => part.tagName + ' ' + part.textContent);
    })`);
    expect(outside).toEqual([]);
    // The list may be wider than its card, in which it scrolls.
    expect(await excessWidth(page)).toBeLessThanOrEqual(0);
  }, 60_000);

  it('has a link to skip to the content, and dialogs that open and close by keyboard', async () => {
    const { page } = await world.visitor();
    await signUp(page);
    await page.goto('/webhooks');
    await settled(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
    await page.getByRole('button', { name: 'Add webhook' }).first().focus();
    await page.keyboard.press('Enter');
    const address = page.getByRole('dialog').getByLabel('Address');
    await address.waitFor();
    await eventually(async () => expect(await page.evaluate('document.activeElement.type')).toBe('url'));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await eventually(async () => {
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Add webhook');
    });
  }, 60_000);

  it('costs a first visit less than 120 kB of compressed script', async () => {
    const { page } = await world.visitor();
    let bytes = 0;
    page.on('requestfinished', (request) => {
      if (request.resourceType() !== 'script') return;
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    const sizes: Promise<number>[] = [];
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    for (const size of sizes) bytes += await size;
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(scriptBudget);
  }, 60_000);
});
