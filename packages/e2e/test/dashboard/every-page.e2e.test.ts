import { eventually, startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { problemsOf } from './axe.ts';
import { excessWidth, heading } from './browser.ts';
import { createKey } from './people.ts';
import { makeSignals } from './signals.ts';
import { useDashboard } from './use-dashboard.ts';

/** How much compressed script a first visit may load, in bytes. */
const scriptBudget = 120_000;

const world = useDashboard();

/** Waits until the page has loaded everything. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await eventually(async () => expect(await page.getByLabel('Loading', { exact: true }).count()).toBe(0));
}

describe('every page', () => {
  it('is accessible, wide and light, narrow and dark, no wider than the screen, and its browser reports no errors', async () => {
    await using receiver = await startReceiver();
    const { page, person } = await world.newHolder();
    const key = await createKey(page, 'Everywhere');
    await makeSignals(world.system, 25);
    const addWebhook = async (url: string, filter?: object) => {
      const headers = { authorization: `Bearer ${key}` };
      const content = JSON.stringify({ url, events: ['signal.new'], filter });
      const { body } = await world.system.api('/v1/webhooks', { method: 'POST', headers, body: content });
      return body.data as { id: string };
    };
    receiver.script('/failing', 500, 500, 500, 500);
    // Without the filter, the events of the signals above would come, too, as far as they are not fanned out yet.
    const failing = await addWebhook(`${receiver.url}/failing`, { 'token.symbol': { eq: 'FAILS' } });
    const hook = await addWebhook(receiver.url);
    await world.system.createSignal('wallet', { symbol: 'FAILS' });
    // A page that is opened before the delivery exists asks for it 30 s later only.
    await eventually(() => expect(receiver.requests.some(({ path }) => path === '/failing')).toBe(true));
    await page.goto(`/webhooks/${failing.id}`);
    await page
      .getByRole('table', { name: 'Deliveries' })
      .getByText(/Retrying|Failed/)
      .waitFor();

    const problems: string[] = [];
    const look = async (name: string, shown = page, impacts?: readonly string[]) =>
      problems.push(...(await problemsOf(shown, name, impacts)));
    // Dialogs and menus are outside of the page's landmarks, which axe-core finds moderate.
    const lookAbove = (name: string) => look(name, page, ['serious', 'critical']);
    for (const path of [
      ...['/getting-started', '/signals?sort=roi&from=2026-01-01', '/signals?search=none', '/webhooks'],
      ...[
        `/webhooks/${hook.id}`,
        `/webhooks/${failing.id}?event=signal.new`,
        '/events?events=signal.new',
        '/usage',
        '/requests',
        '/profile',
      ],
      ...['/profile/api', '/profile/audit', '/profile/members', '/profile/security', '/definitions'],
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
      [`/webhooks/${failing.id}`, 'link', 'signal.new'],
    ] as const) {
      await page.goto(path);
      await page.getByRole(role, { name }).first().click();
      await page.getByRole('dialog').waitFor();
      await settled(page);
      await lookAbove(name);
    }
    await page.goto('/signals');
    await settled(page);
    await page.getByRole('button', { name: person.email }).click();
    await lookAbove('menu');
    await page.keyboard.press('Escape');
    const stranger = await world.visitor();
    for (const path of [
      '/sign-in',
      '/sign-up',
      '/forgot-password',
      '/reset',
      '/confirm',
      '/sign-up/confirm',
    ]) {
      await stranger.page.goto(path);
      await settled(stranger.page);
      await look(path, stranger.page);
    }
    expect(problems).toEqual([]);

    // Inside its cards, too, with the columns of the list that have room, which scrolls in its card where it must.
    await page.setViewportSize({ width: 1024, height: 800 });
    expect(await page.getByRole('table', { name: 'Signals' }).locator('thead th:visible').count()).toBe(8);
    const outside = await page.evaluate(`[...document.querySelectorAll('section')].flatMap((card) => {
      const { right } = card.getBoundingClientRect();
      return [...card.querySelectorAll(':not([aria-label="Signals"], [aria-label="Signals"] *)')]
        .filter((part) => part.getBoundingClientRect().right > right)
        .map((part) => part.tagName + ' ' + part.textContent);
    })`);
    expect(outside).toEqual([]);
    expect(await excessWidth(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Signals' }).click();
    await heading(page, 'Signals').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('has a link to skip to the content, and dialogs that open and close by keyboard', async () => {
    const page = await world.tab();
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
  });

  it('costs a first visit less than 120 kB of compressed script', async () => {
    const { page } = await world.visitor();
    let bytes = 0;
    page.on('requestfinished', (request) => {
      if (request.resourceType() !== 'script') return;
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    const sizes: Promise<number>[] = [];
    await page.goto('/home');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    for (const size of sizes) bytes += await size;
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(scriptBudget);
  });
});
