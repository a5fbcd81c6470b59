import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@sigcast/testing';
import { type DashboardWorld, dashboardWorld, textOf } from './browser.ts';
import { createKey, signUp } from './people.ts';

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
    await page.getByRole('heading', { name: 'Requests by hour' }).waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);
});
