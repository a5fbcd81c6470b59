import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { newSignal } from '../system.ts';
import { type DashboardWorld, dashboardWorld, textOf } from './browser.ts';
import { createKey, liftLimits, signUp } from './people.ts';

let world: DashboardWorld;
let receiver: Receiver;

beforeAll(async () => {
  world = await dashboardWorld({ WEBHOOK_RETRY_DELAYS_MS: '300,400,500' });
  receiver = await startReceiver();
}, 240_000);
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
}, 30_000);

/** Adds a webhook through the dialog; ends on its own page. @returns its secret, shown the only time. */
async function addWebhook(page: Page, path: string): Promise<string> {
  await page.goto('/webhooks');
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  await page.getByRole('dialog').getByLabel('Address').fill(`${receiver.url}${path}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  return closeSecret(page);
}

/** Reads and closes the dialog that shows a secret. */
async function closeSecret(page: Page): Promise<string> {
  const secret = await textOf(page.getByRole('dialog').getByText(/^whsec_/));
  await page.getByRole('button', { name: 'I have stored it' }).click();
  return secret;
}

/** Chooses something from the menu of a webhook's page. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name }).click();
}

const received = (path: string) => receiver.requests.filter((request) => request.path === path);

function verifies(secret: string, path: string): boolean {
  const last = received(path).at(-1);
  try {
    new Webhook(secret).verify(last?.body.toString() ?? '', last?.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('a webhook', () => {
  it('is refused with what the API says of its address', async () => {
    const { page } = await world.visitor();
    await liftLimits(world.system, await signUp(page));
    await page.goto('/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ftp://example.com/');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByText(/must begin with https/).waitFor();
    expect(await dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
  }, 180_000);

  it('gets a test, logs every attempt, is sent once more, and shows how it is doing', async () => {
    const { page, complaints } = await world.visitor();
    await liftLimits(world.system, await signUp(page));
    receiver.script('/flaky', 500, 200);
    const secret = await addWebhook(page, '/flaky');
    await page.getByText('Nothing sent yet').first().waitFor();

    await world.system.ingest('POST', '', newSignal());
    const log = page.getByRole('table', { name: 'Deliveries' });
    await log.getByText('Delivered').waitFor({ timeout: 40_000 });
    await log.getByRole('link', { name: 'signal.new' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('region', { name: 'Attempt 2' }).getByText('200', { exact: true }).waitFor();
    const first = panel.getByRole('region', { name: 'Attempt 1' });
    await first.getByText('500', { exact: true }).waitFor();
    expect(await textOf(first)).toMatch(
      /Took\s+[\d.]+ m?s\s+Connected in\s+[\d.]+ ms\s+First byte in\s+[\d.]+ m?s\s+Sent to\s+127\.0\.0\.1/,
    );
    expect(await textOf(first)).toContain(`POST ${receiver.url}/flaky\nwebhook-id: evt_`);
    expect(await textOf(first)).toContain('Its signature is not kept');
    expect(verifies(secret, '/flaky')).toBe(true);
    await panel.getByRole('button', { name: 'Send once more' }).click();
    await panel.getByRole('region', { name: 'Attempt 3' }).getByText('200', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    const wide = page.viewportSize() ?? { width: 1_280, height: 720 };
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await textOf(log.getByRole('row').nth(1))).toMatch(/signal\.new\s+(just now|.+ ago)/);
    await page.setViewportSize(wide);

    await page.getByRole('button', { name: 'Send test' }).click();
    await panel.getByText('webhook.test').waitFor();
    await panel.getByRole('region', { name: 'Attempt 1' }).getByText('200', { exact: true }).waitFor();
    await page.goto('/webhooks');
    await page.getByText('Last 2 delivered').waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);

  it('costs the list no request while it is out of sight', async () => {
    const { page } = await world.visitor({ viewport: { width: 360, height: 740 } });
    await liftLimits(world.system, await signUp(page));
    const key = await createKey(page, 'Many');
    for (let at = 0; at < 20; at += 1) {
      const { status } = await fetch(`${world.system.gatewayUrl}/v1/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${receiver.url}/many/${at}`, events: ['signal.dead'] }),
      });
      expect(status).toBe(201);
    }
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/deliveries')) asked += 1;
    });
    await page.goto('/webhooks');
    const rows = page.getByRole('table', { name: 'Webhooks' }).getByRole('row');
    await rows.nth(1).getByText('Nothing sent yet').waitFor();
    expect(await rows.count()).toBe(21);
    expect(asked).toBeLessThan(15);
    await rows.nth(20).scrollIntoViewIfNeeded();
    await rows.nth(20).getByText('Nothing sent yet').waitFor();
  }, 180_000);

  it('is not called fine while its receiver is dead', async () => {
    const { page } = await world.visitor();
    await liftLimits(world.system, await signUp(page));
    receiver.script('/dead', 500, 'hang', 'hang', 500);
    await addWebhook(page, '/dead');
    await page.getByText('Nothing sent yet').first().waitFor();
    await world.system.ingest('POST', '', newSignal());
    await eventually(() => expect(received('/dead')).toHaveLength(2));
    await page.reload();
    const about = page.getByRole('region', { name: 'Subscription' });
    const log = page.getByRole('table', { name: 'Deliveries' });
    await log.getByText('Retrying').waitFor();
    await about.getByText('Retrying 1').waitFor();
    await log.getByText('Failed').waitFor({ timeout: 40_000 });
    await about.getByText('1 of 1 failed').waitFor();
  }, 180_000);

  it('is edited, paused, resumed, recovered, given a new secret, and deleted', async () => {
    const { page, complaints } = await world.visitor();
    await liftLimits(world.system, await signUp(page));
    const old = await addWebhook(page, '/life');
    await choose(page, 'Edit');
    await page.getByRole('dialog').getByLabel('Description').fill('Alerts of the night shift');
    await page.getByRole('dialog').getByRole('checkbox', { name: 'signal.winner' }).uncheck();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Alerts of the night shift').waitFor();

    // Somebody else's, to tell when the subscribers of an event have been chosen.
    const body = JSON.stringify({ url: `${receiver.url}/witness`, events: ['signal.new'] });
    expect((await world.system.api('/v1/webhooks', { method: 'POST', body })).response.status).toBe(201);
    await choose(page, 'Pause');
    await page.getByText(/^Paused since/).waitFor();
    await world.system.ingest('POST', '', newSignal());
    await eventually(() => expect(received('/witness')).toHaveLength(1));
    await page.getByRole('button', { name: 'More' }).click();
    const recover = page.getByRole('menuitem', { name: 'Recover missed events' });
    expect(await textOf(recover)).toContain('Once it is resumed');
    expect(await recover.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Enabled').waitFor();
    expect(received('/life')).toHaveLength(0);
    const since = page.getByRole('dialog').getByLabel('Since');
    const sinceMs = Date.parse(await since.inputValue());
    // The minute it was paused in.
    expect(Date.now() - sinceMs).toBeLessThan(600_000);
    await page.getByRole('dialog').getByRole('button', { name: 'Recover' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Delivered').waitFor({ timeout: 40_000 });
    expect(verifies(old, '/life')).toBe(true);

    await choose(page, 'Rotate secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const next = await closeSecret(page);
    await page.getByText('The old secret signs until').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page
      .getByRole('dialog')
      .getByRole('region', { name: 'Attempt 1' })
      .getByText('200', { exact: true })
      .waitFor();
    expect([verifies(old, '/life'), verifies(next, '/life')]).toEqual([true, true]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await choose(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);
});
