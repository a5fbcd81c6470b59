import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemsOf } from './axe.ts';
import { heading, textOf } from './browser.ts';
import { createKey, signUp, statusWith } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.[Symbol.asyncDispose]());

/** Makes the file's account holder an operator. @returns a tab of the operator's, and the address. */
async function operator() {
  const { account, email } = await world.person();
  await world.system.operator('operators', 'add', account);
  return { page: await world.tab(), email };
}

/** Presses a button of the dialog, and waits for the message that says what was done. */
async function confirm(page: Page, verb: string, message: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: verb }).click();
  await page.getByText(message).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

describe('an operator', () => {
  it('finds an account, suspends it, resumes it and changes its plan, confirms each step, and finds the steps in the log', async () => {
    const { page, email } = await operator();
    const customer = await world.visitor();
    const person = await signUp(customer.page);
    const key = await createKey(customer.page, 'Trading bot');
    expect(await statusWith(world.system, key)).toBe(200);

    await page.goto('/signals');
    await page.getByRole('link', { name: 'Operator' }).click();
    await heading(page, 'Operator').waitFor();
    await page.getByLabel('Search accounts').fill(person.email.slice(0, -6).toUpperCase());
    const accounts = page.getByRole('table', { name: 'Accounts' });
    await eventually(async () => expect(await accounts.locator('tbody tr').count()).toBe(1));
    expect(page.url()).toContain('/operator?q=');
    const problems = await problemsOf(page, 'accounts');
    await accounts.getByRole('link', { name: person.email }).click();
    await heading(page, person.email).waitFor();
    expect(await textOf(page.getByRole('table', { name: 'API keys' }))).toContain(key.slice(-4));
    expect(await page.content()).not.toContain(key);

    await page.getByRole('button', { name: 'Suspend account' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await statusWith(world.system, key)).toBe(200);
    await page.getByRole('button', { name: 'Suspend account' }).click();
    await confirm(page, 'Suspend account', 'The account is suspended.');
    expect(await statusWith(world.system, key)).toBe(403);
    await page.getByRole('button', { name: 'Resume account' }).click();
    await confirm(page, 'Resume account', 'The account is resumed.');
    await eventually(async () => expect(await statusWith(world.system, key)).toBe(200));
    await page.getByRole('button', { name: 'Change plan' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Plan' }).click();
    await page.getByRole('option', { name: /^unlimited: 1,000,000 a minute/ }).click();
    await confirm(page, 'Change plan', 'The account now has the plan unlimited.');

    await page.getByRole('table', { name: 'Log of operators' }).first().waitFor();
    problems.push(...(await problemsOf(page, 'account')));
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await heading(page, 'Operator log').waitFor();
    const log = page.getByRole('table', { name: 'Log of operators' });
    const row = async (at: number) => (await textOf(log.locator('tbody tr').nth(at))).replace(/\s+/g, ' ');
    await log.waitFor();
    const [plan, resumed, suspended] = [await row(0), await row(1), await row(2)];
    expect(plan).toMatch(/^Changed the plan plan standard → plan unlimited/);
    expect(resumed).toMatch(/^Resumed the account status suspended → status active/);
    expect(suspended).toMatch(/^Suspended the account status active → status suspended/);
    for (const text of [plan, resumed, suspended]) {
      expect(text).toContain(`${person.email} ${email}`);
    }
    const added = log.getByRole('row', { name: 'Made the account an operator' }).first();
    expect(await textOf(added)).toContain('Command by');
    problems.push(...(await problemsOf(page, 'log')));
    expect(problems).toEqual([]);
  });

  it('sees which webhooks fail, their accounts and reasons, and what waits in the system', async () => {
    const { page } = await operator();
    const customer = await world.visitor();
    const person = await signUp(customer.page);
    const key = await createKey(customer.page, 'Webhooks');
    receiver.script('/gone', 410);
    const headers = { authorization: `Bearer ${key}` };
    const body = JSON.stringify({ url: `${receiver.url}/gone`, events: ['signal.new'] });
    await world.system.api('/v1/webhooks', { method: 'POST', headers, body });
    await page.goto('/operator');
    await page.getByRole('link', { name: 'Failing webhooks' }).click();
    await heading(page, 'Failing webhooks').waitFor();
    await world.system.createSignal();
    const table = page.getByRole('table', { name: 'Failing webhooks' });
    const rows = table.locator('tbody tr').filter({ hasText: person.email });
    await eventually(
      async () => {
        await page.reload();
        await rows.first().waitFor({ timeout: 2_000 });
      },
      { timeoutMs: 30_000 },
    );
    const row = await textOf(rows);
    expect(row).toContain('Disabled: gone (410)');
    expect(row).not.toContain('/gone');
    const problems = await problemsOf(page, 'failing webhooks');

    await page.getByRole('link', { name: 'System', exact: true }).click();
    await heading(page, 'System').waitFor();
    const of = async (name: string) =>
      (await textOf(page.getByRole('region', { name }))).replace(/\s+/g, ' ');
    // What is silent for a second, as on a busy machine, is shown as such until the page asks again.
    await eventually(
      async () => {
        await page.reload();
        expect(await of('From the market to webhooks')).toMatch(
          /redis ?Answers mongodb ?Answers broker ?Answers .*signals ?Answers Not yet published \d+ .*stats\.facts Waiting \d+ .*webhooks\.fanout Waiting \d+ .*Pending deliveries \d+/,
        );
      },
      { timeoutMs: 30_000 },
    );
    problems.push(...(await problemsOf(page, 'system')));
    expect(problems).toEqual([]);
  });

  it('sees an error with its code, the id of its request and a button to try again, after which the page works', async () => {
    const { page } = await operator();
    await page.route('**/account/operator/accounts*', (route) =>
      route.fulfill({
        status: 500,
        json: {
          success: false,
          error: { code: 'INTERNAL_ERROR', message: 'Broken', request_id: 'req_12345678' },
        },
      }),
    );
    await page.goto('/operator');
    await page.getByLabel('Loading', { exact: true }).waitFor();
    const problem = page.getByRole('alert').filter({ hasText: 'Broken' });
    const explained = problem.getByRole('link', { name: 'INTERNAL_ERROR' });
    expect(await explained.getAttribute('href')).toBe('/docs/errors#INTERNAL_ERROR');
    await problem.getByRole('button', { name: 'req_12345678' }).click();
    await eventually(async () => {
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('req_12345678');
    });
    await page.unroute('**/account/operator/accounts*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    await page.goto('/operator/accounts/acct_nobody');
    await page.getByText('There is no such account.').waitFor();
  });
});

describe('an account that ceased to be an operator', () => {
  it('loses the pages with the next request, has no link to them, and their address is a page not found', async () => {
    const { page } = await world.visitor();
    const { account } = await signUp(page);
    await world.system.operator('operators', 'add', account);
    await page.goto('/operator');
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    await world.system.operator('operators', 'remove', account);
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await heading(page, 'Page not found').waitFor();
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/operator');
    await heading(page, 'Page not found').waitFor();
    expect(asked.filter((path) => path.startsWith('/account/operator'))).toEqual([]);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });
});
