import { dayHookMs, eventually, untilDayLasts } from '@sigcast/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyUntil, textOf } from './browser.ts';
import { createKey, signUp, statusWith } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

/** Usage is written every five seconds. */
const usageTimeout = { timeoutMs: 60_000, everyMs: 500 };

const world = useDashboard();

describe('API settings', () => {
  it('create a key that is shown once and opens the API, copy it by Enter, and revoke it with effect at once', async () => {
    const page = await world.tab();
    await page.goto('/profile/api');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Trading bot');
    await page.keyboard.press('Enter');
    const key = await textOf(dialog.locator('code'));
    await eventually(async () => {
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Copy api key');
    });
    await copyUntil(() => page.keyboard.press('Enter'), dialog.getByRole('status').getByText('Copied'));
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))');
    await page.keyboard.press('Enter');
    await dialog.getByText('Could not copy. Select the text and copy it by hand.').waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();

    const row = page.getByRole('row').filter({ hasText: 'Trading bot' });
    expect(await textOf(row)).toContain(`${key.slice(-4)}`);
    expect(await textOf(row)).not.toMatch(/Created:|Expires:/);
    expect(await page.content()).not.toContain(key);
    await page.setViewportSize({ width: 1_000, height: 700 });
    expect(await textOf(row)).toMatch(/Created: .+\s*Last used: Never/);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await textOf(row)).toMatch(/production\s*Created: .+\s*Last used: Never\s*Expires: in .+/);

    expect(await statusWith(world.system, key)).toBe(200);
    await page.getByRole('button', { name: 'Revoke Trading bot' }).click();
    expect(await textOf(dialog)).toContain('Every further request with this key is refused');
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('The API key is revoked.').waitFor();
    await row.getByText('Revoked').waitFor();
    expect(await statusWith(world.system, key)).toBe(401);
  });

  it('rotate a key: both keys are valid during the overlap, and can be told apart to revoke the old one', async () => {
    const page = await world.tab();
    const old = await createKey(page, 'Bot');
    await page.getByRole('button', { name: 'Rotate Bot' }).click();
    const dialog = page.getByRole('dialog');
    expect(await textOf(dialog)).toContain(`…${old.slice(-4)}`);
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    const next = await textOf(dialog.locator('code'));
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(next).not.toBe(old);
    expect([await statusWith(world.system, old), await statusWith(world.system, next)]).toEqual([200, 200]);
    const rowOf = (key: string) =>
      page.locator('tr').filter({ hasText: new RegExp(`sk_….{4}…${key.slice(-4)}`) });
    await rowOf(old).getByText('Replaced', { exact: true }).waitFor();
    expect(await textOf(rowOf(old))).toMatch(new RegExp(`by …${next.slice(-4)}\\s+Expires in 1 day`));
    expect(await textOf(rowOf(next))).toContain('Active');

    // The answer when a gateway could not be told of the revocation.
    const message = 'The key is revoked, but telling every gateway is not possible right now';
    const json = { success: false, error: { code: 'SERVICE_UNAVAILABLE', message } };
    await page.route('**/account/keys/*', async (route) => {
      await route.fetch();
      await route.fulfill({ status: 503, json });
    });
    await page.getByRole('button', { name: new RegExp(`^Revoke Bot sk_….{4}…${old.slice(-4)}$`) }).click();
    expect(await textOf(dialog)).toMatch(
      new RegExp(`…${old.slice(-4)}\\s+Environment\\s+production\\s+Last used`),
    );
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await dialog.getByText(message).waitFor();
    await rowOf(old).getByText('Revoked').waitFor();
    expect([await statusWith(world.system, old), await statusWith(world.system, next)]).toEqual([401, 200]);
  });
});

describe('mail settings', () => {
  it('are saved with a digest and its filter, and say what is wrong with a filter', async () => {
    const { page } = await world.newHolder();
    await page.goto('/profile');
    const mail = page.getByRole('region', { name: 'Mail' });
    await mail.getByRole('checkbox', { name: 'Webhooks' }).uncheck();
    await mail.getByRole('combobox', { name: 'Digest of new signals' }).click();
    await page.getByRole('option', { name: 'Weekly' }).click();
    await mail.getByRole('switch', { name: 'Edit as JSON' }).click();
    const filter = mail.getByLabel('Conditions in JSON');
    await filter.fill('{"token.chian":{"eq":"solana"}}');
    const save = mail.getByRole('button', { name: 'Save mail settings' });
    await save.click();
    await mail
      .getByText(/token\.chian is not known.*token\.chain/)
      .first()
      .waitFor();
    await filter.fill('{"token.chain":{"eq":"solana"}}');
    await save.click();
    await page.getByText('Your mail settings are saved.').waitFor();
    await page.reload();
    await mail.getByText('{"token.chain":{"eq":"solana"}}').waitFor();
    expect(await mail.getByRole('checkbox', { name: 'Webhooks' }).isChecked()).toBe(false);
    expect(await mail.getByRole('checkbox', { name: 'API keys' }).isChecked()).toBe(true);
  });
});

describe('usage', () => {
  beforeEach(() => untilDayLasts(), dayHookMs);

  it('shows the requests of programs, by day and by hour', async () => {
    const { page } = await world.visitor();
    await signUp(page);
    const key = await createKey(page, 'Counted');
    for (let at = 0; at < 4; at += 1) await statusWith(world.system, key);
    await fetch(`${world.system.gatewayUrl}/v1/signals?limit=0`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await page.goto('/usage');
    await eventually(async () => {
      await page.reload();
      await page.getByRole('table', { name: 'Requests' }).waitFor({ timeout: 5_000 });
      const cells = await textOf(page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(1));
      const [requests, answered, clientErrors, ...others] = cells.split(/\s+/).slice(-5).map(Number);
      const today = await textOf(page.getByRole('region', { name: 'Today' }));
      expect(today).toContain(`${requests} of 10,000 requests`);
      // The dashboard's own requests are not counted.
      expect([requests, answered, clientErrors, ...others]).toEqual([5, 4, 1, 0, 0]);
    }, usageTimeout);
    const ofKey = page.getByRole('table', { name: 'Usage by key' }).getByRole('row', { name: /^Counted/ });
    expect(await textOf(ofKey)).toMatch(/^Counted\s+5\s+1\s+0\s+[\d.]+ m?s\s+[\d.]+ m?s\s+0$/);
    await page.getByText('Today', { exact: true }).last().click();
    await page.getByRole('heading', { name: 'Requests by hour' }).waitFor();
    await page.getByText('30 days', { exact: true }).click();
    await page
      .getByRole('button', { name: /^[A-Z][a-z]+ \d+$/ })
      .first()
      .click();
    const byHour = page.getByRole('heading', { name: /^Requests by hour, / });
    const title = await textOf(byHour);
    expect(page.url()).toMatch(/\/usage\?days=30&day=\d{4}-\d\d-\d\d$/);
    await page.reload();
    expect(await textOf(byHour)).toBe(title);
  });
});

describe('times', () => {
  it('are shown in the zone of the reader, or in UTC if the reader wants that', async () => {
    const { page, person } = await world.newHolder({ timezoneId: 'Asia/Tokyo' });
    await page.goto('/profile');
    const created = page.getByText(/\d{2}:\d{2}:\d{2}/).first();
    expect(await textOf(created)).toMatch(/GMT\+9$/);
    await page.getByRole('button', { name: person.email }).click();
    await page.getByRole('menuitemradio', { name: 'UTC' }).click();
    await page
      .getByText(/:\d{2} UTC$/)
      .first()
      .waitFor();
    expect(await textOf(created)).not.toContain('GMT+9');
  });
});
