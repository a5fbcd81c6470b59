import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemsOf } from './axe.ts';
import { copyUntil, textOf } from './browser.ts';
import { createKey } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.[Symbol.asyncDispose]());

/** Adds a webhook through the dialog, which leads to its page. @returns its secret, which is shown only once. */
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

/** Chooses an item from the menu of a webhook's page. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name }).click();
}

/** Makes the page, which asks again every 30 s, do so now, again and again until something is shown. */
async function refreshedUntil(page: Page, shown: Locator): Promise<void> {
  await eventually(
    async () => {
      await page.clock.fastForward(30_000);
      await shown.waitFor({ timeout: 2_500 });
    },
    { timeoutMs: 24_000 },
  );
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

/** Checks that the panel of a delivery shows body and headers, and copies a command that sends the same request. */
async function expectToShowWhatWasSent(page: Page, secret: string): Promise<void> {
  const panel = page.getByRole('dialog');
  const [request] = received('/flaky');
  const body = await textOf(panel.getByRole('region', { name: 'Request body' }).locator('pre'));
  expect(JSON.parse(body)).toEqual(JSON.parse(request?.body.toString() ?? ''));
  const attempt = panel.getByRole('region', { name: 'Attempt 1' });
  await attempt.getByText('Request headers (8)').click();
  const headers = await textOf(attempt.getByRole('table', { name: 'Request headers of attempt 1' }));
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'user-agent']) {
    expect(headers.replaceAll(/\s+/g, ' ')).toContain(`${name} ${request?.headers[name]}`);
  }
  await attempt.getByText(/Response headers/).click();
  expect(await textOf(attempt.getByRole('table', { name: 'Response headers of attempt 1' }))).toMatch(
    /content-type\s+text\/plain/,
  );
  await copyUntil(
    () => attempt.getByRole('button', { name: 'Copy as curl' }).click(),
    attempt.getByRole('button', { name: 'Copied' }),
  );
  const command = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(command).not.toContain(secret);
  await promisify(execFile)('sh', ['-c', command]);
  const copied = received('/flaky').at(-1);
  expect(copied?.body.equals(request?.body ?? Buffer.alloc(0))).toBe(true);
  expect(verifies(secret, '/flaky')).toBe(true);
}

describe('a webhook', () => {
  it('with a refused address is not added, and the form says what the API says of the address', async () => {
    const page = await world.tab();
    await page.goto('/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ftp://example.com/');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByText(/Must begin with https/).waitFor();
    expect(await dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
  });

  it('whose form has been changed is not lost by Escape, and the form says what is missing', async () => {
    const { page } = await world.newHolder();
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByText('Enter an address.').waitFor();
    await dialog.getByLabel('Address').fill(`${receiver.url}/kept`);
    await page.keyboard.press('Escape');
    await dialog.getByText('Discard what you typed?').waitFor();
    expect(await problemsOf(page, 'question', ['serious', 'critical'])).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await dialog.getByLabel('Address').inputValue()).toBe(`${receiver.url}/kept`);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    await dialog.getByLabel('Address').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    await dialog.getByLabel('Address').fill(`${receiver.url}/kept`);
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('Test sent').waitFor();
    await closeSecret(page);
    await dialog.getByRole('region', { name: 'Attempt 1' }).getByText('200', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await page.waitForURL('**/webhooks');
  });

  it('in Telegram is added by its bot and chat, shows no token, and gets a test message', async () => {
    const { page } = await world.newHolder();
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Telegram', { exact: true }).click();
    const token = `100000001:${'exampleTokenOfADashboard'.padEnd(35, '0')}`;
    expect(await problemsOf(page, 'Telegram', ['serious', 'critical'])).toEqual([]);
    await dialog.getByLabel('Bot token').fill('wrong');
    await dialog.getByLabel('Chat', { exact: true }).fill('-1001234567890');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByText(/Must be the token that @BotFather gave you/).waitFor();
    await dialog.getByLabel('Bot token').fill(token);
    await dialog.getByText('Compact', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('No message has arrived yet').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('dialog').getByText('Delivered', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.content()).not.toContain(token.slice(-30, -4));
    await page.goto('/webhooks');
    await page.getByRole('table', { name: 'Webhooks' }).getByText('Telegram', { exact: true }).waitFor();
  });

  it('logs every attempt, sends a delivery again, gets a test event, and shows its health', async () => {
    const { page } = await world.newHolder();
    await page.clock.install();
    receiver.script('/flaky', 500, 200);
    const secret = await addWebhook(page, '/flaky');
    await page.getByText('Nothing sent yet').first().waitFor();

    await world.system.createSignal();
    await eventually(() => expect(received('/flaky')).toHaveLength(2));
    const log = page.getByRole('table', { name: 'Deliveries' });
    await refreshedUntil(page, log.getByText('Delivered'));
    await log.getByRole('link', { name: 'signal.new' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('region', { name: 'Attempt 2' }).getByText('200', { exact: true }).waitFor();
    const first = panel.getByRole('region', { name: 'Attempt 1' });
    await first.getByText('500', { exact: true }).waitFor();
    expect(await textOf(first)).toMatch(
      /Sent to\s+http:.+\/flaky\s+IP address\s+127\.0\.0\.1\s+Duration\s+[\d.]+ m?s\s+Connected in\s+[\d.]+ ms\s+First byte in/,
    );
    expect(await textOf(first)).toContain('Answered 500; only 200 counts as received');
    expect(verifies(secret, '/flaky')).toBe(true);
    await expectToShowWhatWasSent(page, secret);
    await panel.getByRole('button', { name: 'Send again now' }).click();
    await panel.getByRole('region', { name: 'Attempt 3' }).getByText('200', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    const wide = page.viewportSize() ?? { width: 1_280, height: 720 };
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await textOf(log.getByRole('row').nth(1))).toMatch(/signal\.new\s+\S+\s+200/);
    await page.setViewportSize(wide);

    await page.getByRole('button', { name: 'Send test' }).click();
    await panel.getByText('webhook.test', { exact: true }).waitFor();
    await panel.getByRole('region', { name: 'Attempt 1' }).getByText('200', { exact: true }).waitFor();
    await page.goto('/webhooks');
    await page.getByRole('img', { name: '3 of the last 4 attempts succeeded.' }).waitFor();
    await page.getByText('75%', { exact: true }).waitFor();
  });

  it('takes conditions that are built by hand or written in JSON, and counts the past events that meet them', async () => {
    const { page } = await world.newHolder();
    const headers = { authorization: `Bearer ${await createKey(page, 'Reader')}` };
    const id = await world.system.createSignal();
    await eventually(async () => {
      const { body } = await world.system.api(`/v1/events?signal_id=${id}`, { headers });
      expect(body.data).toHaveLength(1);
    });
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`${receiver.url}/conditions`);
    const submit = dialog.getByRole('button', { name: 'Add webhook' });
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel('Condition 1: field').fill('id');
    await page.getByRole('option', { name: 'id', exact: true }).click();
    await dialog.getByLabel('Condition 1: comparison').click();
    await page.getByRole('option', { name: 'is', exact: true }).click();
    await dialog.getByLabel('Condition 1: value').fill(id);
    await dialog.getByText(`{"id":{"eq":"${id}"}}`).waitFor();
    expect(await problemsOf(page, 'conditions', ['serious', 'critical'])).toEqual([]);
    await dialog
      .getByText(/^(The only such event|1 of the last [\d,]+ events) meets these conditions\.$/)
      .waitFor();
    await submit.click();
    await closeSecret(page);
    await page.getByText(`{"id":{"eq":"${id}"}}`).waitFor();
    await choose(page, 'Edit');
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    await dialog.getByLabel('Condition 2: field').fill('id');
    await page.getByRole('option', { name: 'id', exact: true }).click();
    await dialog.getByRole('button', { name: 'Remove condition 2' }).click();
    await dialog.getByRole('switch', { name: 'Edit as JSON' }).click();
    await dialog.getByLabel('Conditions in JSON').fill('{"id":{"ekw":1}}');
    await dialog.getByText(/filter\.id\.ekw is not an operator of this field/).waitFor();
    await dialog.getByLabel('Conditions in JSON').fill(`{"not":{"id":{"eq":"${id}"}}}`);
    await dialog.getByRole('button', { name: 'Save webhook' }).click();
    await page.getByText(`{"not":{"id":{"eq":"${id}"}}}`).waitFor();
  });

  it('causes no request of the list while its row is out of sight', async () => {
    const { page } = await world.newHolder({ viewport: { width: 360, height: 740 } });
    const headers = { authorization: `Bearer ${await createKey(page, 'Many')}` };
    for (let at = 0; at < 20; at += 1) {
      const body = JSON.stringify({ url: `${receiver.url}/many/${at}`, events: ['signal.dead'] });
      const { response } = await world.system.api('/v1/webhooks', { method: 'POST', headers, body });
      expect(response.status).toBe(201);
    }
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/health')) asked += 1;
    });
    await page.goto('/webhooks');
    const rows = page.getByRole('table', { name: 'Webhooks' }).getByRole('row');
    await rows.nth(1).getByText('Nothing sent yet').waitFor();
    expect(await rows.count()).toBe(21);
    expect(asked).toBeLessThan(15);
    await rows.nth(20).scrollIntoViewIfNeeded();
    await rows.nth(20).getByText('Nothing sent yet').waitFor();
  });

  it('is shown as failing while its receiver does not answer 200', async () => {
    const { page } = await world.newHolder();
    await page.clock.install();
    const held = Promise.withResolvers<void>();
    receiver.script(
      ...['/dead', 500, 500],
      (response) => void held.promise.then(() => response.writeHead(500).end()),
    );
    receiver.script('/dead', 500);
    await addWebhook(page, '/dead');
    await page.getByText('Nothing sent yet').first().waitFor();
    await world.system.createSignal();
    await eventually(() => expect(received('/dead')).toHaveLength(3));
    await page.reload();
    const health = page.getByRole('region', { name: 'Health' });
    const log = page.getByRole('table', { name: 'Deliveries' });
    await log.getByText('Retrying').waitFor();
    await health.getByText('Failing').waitFor();
    expect(await textOf(health)).toContain('Waiting: 1 for a retry.');
    held.resolve();
    await eventually(() => expect(received('/dead')).toHaveLength(4));
    await refreshedUntil(page, log.getByText('Failed'));
    await refreshedUntil(page, health.getByText('The last 4 attempts failed.'));
    expect(await textOf(health)).toMatch(
      /Last error: 500, .+\. Your receiver, or a proxy in front of it, failed/,
    );
    await page.getByRole('link', { name: 'Failed 1', exact: true }).waitFor();
  });

  it('sends a delivery again while it waits for a retry', async () => {
    const { page } = await world.newHolder();
    await page.clock.install();
    receiver.script('/later', (response) => {
      response.writeHead(503, { 'retry-after': '3600' }).end('Come back later');
    });
    await addWebhook(page, '/later');
    await world.system.createSignal();
    const log = page.getByRole('table', { name: 'Deliveries' });
    await eventually(() => expect(received('/later')).toHaveLength(1));
    await refreshedUntil(page, log.getByText('Retrying'));
    await log.getByRole('link', { name: 'signal.new' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByText('Come back later').waitFor();
    await panel.getByText(/The remaining retries stay the same/).waitFor();
    await panel.getByRole('button', { name: 'Send again now' }).click();
    await page.getByText('The delivery is being sent again.').waitFor();
    await panel.getByRole('region', { name: 'Attempt 2' }).getByText('200', { exact: true }).waitFor();
  });

  it('has a log whose filters are in the address, and sends failed deliveries again', async () => {
    const { page } = await world.newHolder();
    await page.clock.install();
    receiver.script('/mixed', 200, 404, 404, 404, 404);
    await addWebhook(page, '/mixed');
    const webhook = new URL(page.url()).pathname;
    const signal = await world.system.createSignal();
    await eventually(() => expect(received('/mixed')).toHaveLength(1));
    const log = page.getByRole('table', { name: 'Deliveries' });
    await refreshedUntil(page, log.getByText('Delivered'));
    await world.system.createSignal();
    await eventually(() => expect(received('/mixed')).toHaveLength(5));
    await refreshedUntil(page, log.getByText('Failed'));
    const rows = log.getByRole('row');
    expect(await rows.count()).toBe(3);
    expect(await textOf(rows.nth(1))).toMatch(/404\s[\s\S]*Failed/);

    const filters = page.getByRole('search', { name: 'Filter deliveries' });
    await filters.getByLabel('Status code').selectOption('404');
    await eventually(async () => expect(await rows.count()).toBe(2));
    expect(new URL(page.url()).search).toBe('?http_status=404');
    await page.reload();
    await log.getByText('Failed').waitFor();
    expect(await rows.count()).toBe(2);
    await filters.getByRole('button', { name: 'Clear filters' }).click();
    await filters.getByLabel('Signal').fill(signal);
    await eventually(async () => expect(await textOf(rows.nth(1))).toContain('Delivered'));
    expect(await rows.count()).toBe(2);
    await page.getByRole('link', { name: /^Failed/ }).click();
    await page.getByText('No delivery matches these filters').waitFor();
    await page.goto(`${webhook}?event=signal.dead`);
    await page.getByText('No delivery matches these filters').waitFor();
    await page.goto(webhook);

    await page.getByRole('button', { name: 'Resend failed deliveries' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 delivery is being sent again.').waitFor();
    await eventually(async () => expect(await log.getByText('Delivered').count()).toBe(2));
    await page.getByRole('link', { name: 'Failed', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resend failed deliveries' }).waitFor({ state: 'hidden' });
  });

  it('is edited, paused, resumed, recovered, given a new secret, and deleted', async () => {
    const { page } = await world.newHolder();
    const old = await addWebhook(page, '/life');
    await choose(page, 'Edit');
    await page.getByRole('dialog').getByLabel('Description').fill('Alerts of the night shift');
    await page.getByRole('dialog').getByRole('checkbox', { name: 'signal.winner' }).uncheck();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Keep the order' }).check();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Send waiting events together' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save webhook' }).click();
    await page.getByText('Alerts of the night shift').waitFor();

    // When this webhook of another account has the event, the fan-out of the event is done.
    const body = JSON.stringify({ url: `${receiver.url}/witness`, events: ['signal.new'] });
    expect((await world.system.api('/v1/webhooks', { method: 'POST', body })).response.status).toBe(201);
    await choose(page, 'Pause');
    await page.getByText(/^Paused since/).waitFor();
    await world.system.createSignal();
    await eventually(() => expect(received('/witness')).toHaveLength(1));
    await page.getByRole('button', { name: 'More actions' }).click();
    const recover = page.getByRole('menuitem', { name: 'Recover missed events' });
    expect(await textOf(recover)).toContain('Resume the webhook first');
    expect(await recover.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();
    expect(received('/life')).toHaveLength(0);
    const since = page.getByRole('dialog').getByLabel('Since');
    const sinceMs = Date.parse(await since.inputValue());
    // The dialog proposes the minute of the pause.
    expect(Date.now() - sinceMs).toBeLessThan(600_000);
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Delivered').waitFor({ timeout: 40_000 });
    expect(verifies(old, '/life')).toBe(true);

    await choose(page, 'Rotate secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const next = await closeSecret(page);
    await page.getByText('Old secret valid until').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    const attempt = page.getByRole('dialog').getByRole('region', { name: 'Attempt 1' });
    await attempt.getByText('200', { exact: true }).waitFor();
    await attempt.getByText(/^bat_\w+, 1 event$/).waitFor();
    expect([verifies(old, '/life'), verifies(next, '/life')]).toEqual([true, true]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await choose(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });
});
