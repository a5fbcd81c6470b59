import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { type DashboardWorld, dashboardWorld, textOf } from './browser.ts';
import { createKey, freshEmail, password, signIn, signUp } from './people.ts';

/** Usage is written every five seconds. */
const patience = { timeoutMs: 60_000, everyMs: 500 };

let world: DashboardWorld;

beforeAll(async () => {
  world = await dashboardWorld();
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
}, 30_000);

/** The status a program gets that asks with this key. */
async function statusWith(key: string): Promise<number> {
  const { status } = await fetch(`${world.system.gatewayUrl}/v1/signals?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return status;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe('a session', () => {
  it('outlives reloads, ends for all tabs by signing out, and leads back to where one was going', async () => {
    const { page, tab, complaints } = await world.visitor();
    const person = await signUp(page);
    await page.goto('/usage');
    await heading(page, 'Usage').waitFor();
    for (let at = 0; at < 4; at += 1) await page.reload({ waitUntil: 'commit' });
    await heading(page, 'Usage').waitFor();

    const second = await tab();
    await second.goto('/profile');
    await heading(second, 'Profile').waitFor();
    await page.getByRole('button', { name: person.email }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    await heading(second, 'Sign in').waitFor();

    await page.goto('/webhooks');
    await signIn(page, person);
    await heading(page, 'Webhooks').waitFor();
    await heading(second, 'Profile').waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);

  it('is renewed by many tabs at once and by an old page without ending', async () => {
    const { page, tab } = await world.visitor();
    await signUp(page);
    const tabs = await Promise.all([1, 2, 3].map(() => tab()));
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(tabs.map((each) => each.goto('/usage')));
      for (const each of tabs) await heading(each, 'Usage').waitFor();
    }
    // Ten minutes later the access token is no longer good.
    await page.clock.install();
    await page.goto('/profile/api');
    await heading(page, 'API settings').waitFor();
    await page.clock.fastForward('11:00');
    const renewed = page.waitForResponse((answer) => answer.url().endsWith('/account/session/refresh'));
    await page.getByRole('link', { name: 'Usage' }).click();
    expect((await renewed).status()).toBe(200);
    await page.getByRole('progressbar', { name: 'Used today' }).waitFor();
  }, 180_000);

  it('says so when it has ended elsewhere, and goes on at the same page after signing in', async () => {
    const [mine, other] = [await world.visitor(), await world.visitor()];
    const person = await signUp(mine.page);
    await other.page.goto('/sign-in');
    await signIn(other.page, person);
    await heading(other.page, 'Getting started').waitFor();

    await mine.page.goto('/profile');
    await mine.page.getByLabel('Current password').fill('not this one at all');
    await mine.page.getByLabel('New password').fill('another battery staple');
    await mine.page.getByRole('button', { name: 'Change password' }).click();
    await mine.page.getByText('is not the current password').waitFor();
    await mine.page.getByLabel('Current password').fill(password);
    await mine.page.getByRole('button', { name: 'Change password' }).click();
    await mine.page.getByText('Your password is changed.').waitFor();

    await other.page.getByText('Your session has ended').waitFor();
    await signIn(other.page, person, 'another battery staple');
    await heading(other.page, 'Getting started').waitFor();
  }, 180_000);

  it('begins only with the right password, and the form says what is wrong', async () => {
    const { page } = await world.visitor();
    await page.goto('/sign-up');
    await page.getByLabel('E-mail address').fill('nobody');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('must be an e-mail address').waitFor();
    await page.getByText('must have at least 12 characters').waitFor();
    await page.goto('/sign-in');
    await signIn(page, { email: freshEmail() }, 'whatever it may be');
    expect(await textOf(page.getByRole('alert'))).toMatch(/password|e-mail/i);
  }, 120_000);
});

describe('API settings', () => {
  it('make a key that is shown once and opens the API, and revoke it so that it stops at once', async () => {
    const { page, complaints } = await world.visitor();
    await signUp(page);
    const key = await createKey(page, 'Trading bot');
    expect(await statusWith(key)).toBe(200);
    const row = page.getByRole('row').filter({ hasText: 'Trading bot' });
    expect(await textOf(row)).toContain(`${key.slice(-4)}`);
    expect(await page.content()).not.toContain(key);

    await page.getByRole('button', { name: 'Revoke Trading bot' }).click();
    const dialog = page.getByRole('dialog');
    expect(await textOf(dialog)).toContain('from the next one on');
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await row.getByText('Revoked').waitFor();
    expect(await statusWith(key)).toBe(401);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('rotate a key: old and new are good during the overlap', async () => {
    const { page } = await world.visitor();
    await signUp(page);
    const old = await createKey(page, 'Bot');
    await page.getByRole('button', { name: 'Rotate Bot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
    const next = await textOf(page.getByRole('dialog').locator('code'));
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(next).not.toBe(old);
    expect([await statusWith(old), await statusWith(next)]).toEqual([200, 200]);
    await page.getByText('in 23 hours').waitFor();
  }, 120_000);
});

describe('usage', () => {
  it('shows what programs asked, by day and by hour', async () => {
    const { page, complaints } = await world.visitor();
    await signUp(page);
    const key = await createKey(page, 'Counted');
    for (let at = 0; at < 4; at += 1) await statusWith(key);
    await fetch(`${world.system.gatewayUrl}/v1/signals?limit=0`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await page.goto('/usage');
    await eventually(async () => {
      await page.reload();
      await page.getByRole('table', { name: 'Requests' }).waitFor({ timeout: 5_000 });
      const cells = await textOf(page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(1));
      const [answered, clientErrors, ...others] = cells.split(/\s+/).slice(-4).map(Number);
      // The dashboard's own requests are among them, and those that it gave up count as a client's.
      expect(answered).toBeGreaterThanOrEqual(4);
      expect(clientErrors).toBeGreaterThanOrEqual(1);
      expect(others).toEqual([0, 0]);
    }, patience);
    await page.getByText('Today', { exact: true }).last().click();
    await heading(page, 'Usage').waitFor();
    await page.getByRole('heading', { name: 'Requests by hour' }).waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);
});
