import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePython, pickFreePort } from '@sigcast/local';
import { type Receiver, startReceiver } from '@sigcast/testing';
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToGoOn, expectToVerify } from '../printed-receiver.ts';
import { heading, textOf } from './browser.ts';
import { liftLimits, signIn, signUp, statusWith } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.[Symbol.asyncDispose]());

function python(): Promise<string> {
  const logFile = join(tmpdir(), `sigcast-python-${process.pid}.log`);
  return ensurePython({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
}

/** Makes a key in the first step. @returns the key, which is shown until the page is left. */
async function makeKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create API key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('First');
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  return textOf(step(page, 'Create an API key').locator('code'));
}

function step(page: Page, title: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });
}

/** Adds a webhook in the open dialog. @returns its secret, which is shown only once. */
async function addWebhook(page: Page, url: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  const secret = await textOf(page.getByRole('dialog').getByText(/^whsec_/));
  await page.getByRole('button', { name: 'I have stored it' }).click();
  return secret;
}

describe('the first steps', () => {
  it('lead from signing up to a received webhook, each marked as done when it really happened, and show receivers that accept signed deliveries only', async () => {
    const { page } = await world.newHolder();
    await page.getByRole('button', { name: 'Create API key' }).waitFor();
    expect(await page.getByText('Done').count()).toBe(0);
    // One step at a time.
    expect(await page.getByRole('button', { name: 'Add webhook' }).isVisible()).toBe(false);

    const key = await makeKey(page);
    await step(page, 'Create an API key').getByText('Done').waitFor();

    const asking = step(page, 'Request signals');
    // The key is shown in one place only. The copied command has it.
    expect(await textOf(asking.locator('code'))).not.toContain(key);
    await asking.getByRole('button', { name: 'Copy command' }).click();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    const [, token, url = ''] = /Bearer (\S+)" "(http[^"]+)"$/.exec(command) ?? [];
    expect(token).toBe(key);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    await asking.getByText('Done').waitFor();

    const receiving = step(page, 'Receive webhooks');
    await receiving.getByRole('button', { name: 'Add webhook' }).click();
    const secret = await addWebhook(page, `${receiver.url}/first`);
    await receiving.getByText('Done').waitFor();
    const code = receiving.locator('code');
    const inNode = await textOf(code);
    expect(inNode).toContain(secret);
    await receiving.getByText('Python').click();
    await code.filter({ hasText: 'hmac.compare_digest' }).waitFor();
    const inPython = await textOf(code);

    const delivered = step(page, 'See the first delivery');
    expect(await delivered.getByText('Done').count()).toBe(0);
    await world.system.createSignal();
    await delivered.getByText('Done').waitFor();
    const request = receiver.requests.find(({ path }) => path === '/first');
    const verified = new Webhook(secret).verify(
      request?.body.toString() ?? '',
      request?.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({ event: 'signal.new' });
    for (const printed of [
      { program: process.execPath, text: inNode, secret },
      { program: await python(), text: inPython, secret },
    ]) {
      await expectToVerify(printed);
      await expectToGoOn(printed);
    }
  });

  it('say at once how attempts ended, and what to do', async () => {
    const { page } = await world.newHolder();
    const receiving = step(page, 'Receive webhooks');
    await receiving.getByRole('heading').click();
    await receiving.getByRole('button', { name: 'Add webhook' }).click();
    await addWebhook(page, `http://127.0.0.1:${await pickFreePort()}/`);
    const delivered = step(page, 'See the first delivery');
    await delivered.getByRole('button', { name: 'Send test' }).click();
    await delivered.getByText('1 attempt failed: The connection was refused').waitFor();
    expect(await textOf(delivered)).toContain('Nothing listens at this address. Start your receiver');
    await delivered.getByRole('link', { name: 'Show the request and the answer' }).click();
    await page.getByRole('dialog').getByRole('region', { name: 'Attempt 1' }).waitFor();
  });

  it('stay done with another webhook, in another browser, and when the webhooks are deleted', async () => {
    const [{ page }, elsewhere] = [await world.visitor(), await world.visitor()];
    const person = await signUp(page);
    await liftLimits(world.system, person);
    const headers = { authorization: `Bearer ${await makeKey(page)}`, 'content-type': 'application/json' };
    const api = async (method: string, path: string, body?: unknown) => {
      const url = `${world.system.gatewayUrl}/v1/webhooks${path}`;
      const answer = await fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await answer.json().catch(() => ({}))) as { data: { id: string } };
    };
    const events = ['signal.winner'];
    const first = await api('POST', '', { url: `${receiver.url}/older`, events });
    await api('POST', `/${first.data.id}/test`);
    await page.reload();
    await step(page, 'See the first delivery').getByText('Done').waitFor();

    const second = await api('POST', '', { url: `${receiver.url}/newer`, events });
    await elsewhere.page.goto('/sign-in?to=/getting-started');
    await signIn(elsewhere.page, person);
    await step(elsewhere.page, 'See the first delivery').getByText('Done').waitFor();

    for (const { data } of [first, second]) await api('DELETE', `/${data.id}`);
    await page.reload();
    for (const title of ['Request signals', 'Receive webhooks', 'See the first delivery']) {
      await step(page, title).getByText('Done').waitFor();
    }
    const next = page.getByRole('region', { name: 'Where to go next' }).getByRole('link');
    const hrefs = (await next.all()).map((link) => link.getAttribute('href'));
    expect(await Promise.all(hrefs)).toEqual([
      ...['/webhooks', '/backtests', '/record', '/profile/members', '/docs'],
    ]);
    await next.getByText('Invite a member').click();
    await heading(page, 'Members').waitFor();
  });

  it('are marked as done within seconds, also after the page was open for ten minutes', async () => {
    const { page } = await world.visitor();
    await page.clock.install();
    await signUp(page);
    await page.clock.fastForward('10:00');
    const key = await makeKey(page);
    expect(await statusWith(world.system, key)).toBe(200);
    await page.clock.fastForward('00:05');
    await step(page, 'Request signals').getByText('Done').waitFor();
  });

  it('show an error when their state can’t be loaded, not that nothing is done', async () => {
    const page = await world.tab();
    await page.goto('/getting-started');
    await page.getByRole('heading', { name: 'Create an API key' }).waitFor();
    const refusal = { success: false, error: { code: 'INVALID_REQUEST', message: 'Not today' } };
    await page.route('**/v1/webhooks?**', (route) => route.fulfill({ status: 400, json: refusal }));
    await page.reload();
    await page.getByRole('alert').getByText('Not today').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0);
    await page.unroute('**/v1/webhooks?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Create an API key' }).waitFor();
  });
});

describe('the receiver of the README', () => {
  it('accepts signed deliveries only', async () => {
    const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8');
    const [, text = ''] = /<<'JS'\n(.*?)\nJS\n/s.exec(readme) ?? [];
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await expectToVerify({ program: process.execPath, text, secret });
  });
});
