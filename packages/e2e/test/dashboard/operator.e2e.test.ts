import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
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
  textOf,
  type Visitor,
} from './browser.ts';
import { createKey, type Person, signIn, signUp, statusWith } from './people.ts';

let world: DashboardWorld;
let receiver: Receiver;
let operator: Visitor & { readonly person: Person };

beforeAll(async () => {
  receiver = await startReceiver();
  world = await dashboardWorld();
  const visitor = await world.visitor();
  const person = await signUp(visitor.page);
  await world.system.operator('operators', 'add', person.account);
  operator = { ...visitor, person };
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
}, 30_000);

/** Presses a button of the dialog, and waits for the message that says what was done. */
async function confirm(page: Page, verb: string, message: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: verb }).click();
  await page.getByText(message).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

describe('an operator', () => {
  it('finds an account, suspends it, resumes it and changes its plan, confirms each step, and finds the steps in the log', async () => {
    const { page, complaints } = operator;
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
    await accounts.getByRole('link', { name: person.email }).click();
    await heading(page, 'Account').waitFor();
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

    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await heading(page, 'Operator log').waitFor();
    const log = page.getByRole('table', { name: 'Log of operators' });
    const row = async (at: number) => (await textOf(log.locator('tbody tr').nth(at))).replace(/\s+/g, ' ');
    await log.waitFor();
    const [plan, resumed, suspended, added] = [await row(0), await row(1), await row(2), await row(3)];
    expect(plan).toMatch(/^Changed the plan plan standard → plan unlimited/);
    expect(resumed).toMatch(/^Resumed the account status suspended → status active/);
    expect(suspended).toMatch(/^Suspended the account status active → status suspended/);
    for (const text of [plan, resumed, suspended]) {
      expect(text).toContain(`${person.email} ${operator.person.email}`);
    }
    expect(added).toMatch(/^Made the account an operator .* Command by /);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('sees which webhooks fail, their accounts and reasons, and what waits in the system', async () => {
    const { page, complaints } = operator;
    const customer = await world.visitor();
    const person = await signUp(customer.page);
    const key = await createKey(customer.page, 'Webhooks');
    receiver.script('/gone', 410);
    const headers = { authorization: `Bearer ${key}` };
    const body = JSON.stringify({ url: `${receiver.url}/gone`, events: ['signal.new'] });
    await world.system.api('/v1/webhooks', { method: 'POST', headers, body });
    await page.goto('/operator');
    await page.getByRole('link', { name: 'Failing webhooks' }).click();
    await page.getByText('No failing webhooks').waitFor();
    await world.system.createSignal();
    const rows = page.getByRole('table', { name: 'Failing webhooks' }).locator('tbody tr');
    await eventually(
      async () => {
        await page.reload();
        await rows.first().waitFor({ timeout: 2_000 });
      },
      { timeoutMs: 30_000 },
    );
    const row = await textOf(rows);
    expect(row).toContain(person.email);
    expect(row).toContain('Disabled: gone (410)');
    expect(row).not.toContain('/gone');

    await page.getByRole('link', { name: 'System', exact: true }).click();
    await heading(page, 'System').waitFor();
    const of = async (name: string) =>
      (await textOf(page.getByRole('region', { name }))).replace(/\s+/g, ' ');
    // What is silent for a second, as on a busy machine, is shown as such until the page asks again.
    await eventually(
      async () => {
        await page.reload();
        expect(await of('Services and stores')).toMatch(/redis Answers mongodb Answers broker Answers/);
        expect(await of('Queues')).toMatch(
          /stats\.facts Waiting \d+ .*webhooks\.fanout Waiting \d+ .*webhooks\.fanout\.parked Parked 0/,
        );
        expect(await of('Outbox')).toMatch(/Waiting signals \d+ Oldest live event/);
        expect(await of('Deliveries')).toMatch(/Pending \d+/);
      },
      { timeoutMs: 30_000 },
    );
    expect(complaints).toEqual([]);
  }, 120_000);

  it.each([
    ['narrow', { width: 390, height: 844 }],
    ['wide', { width: 1440, height: 900 }],
  ] as const)(
    'can use every page by keyboard and screen reader, %s, light and dark, without any violation',
    async (_, viewport) => {
      const { account } = operator.person;
      const { page, complaints } = await world.visitor({ viewport });
      await page.goto('/sign-in?to=/operator');
      await signIn(page, operator.person);
      await heading(page, 'Operator').waitFor();
      const table = (name: string) => page.getByRole('table', { name }).first();
      for (const [path, shown] of [
        ['/operator', table('Accounts')],
        ['/operator?q=nobody-at-all', page.getByText('No account found')],
        [`/operator/accounts/${account}`, table('Log of operators')],
        ['/operator/webhooks', table('Failing webhooks')],
        ['/operator/system', page.getByText('webhooks.fanout.parked')],
        ['/operator/log', table('Log of operators')],
      ] as const) {
        await page.goto(path);
        await shown.waitFor();
        for (const colorScheme of colorSchemes) {
          await showIn(page, colorScheme);
          const at = { path, colorScheme };
          expect({ ...at, found: await violations(page) }).toEqual({ ...at, found: [] });
          expect({ ...at, isWider: (await excessWidth(page)) > 0 }).toEqual({ ...at, isWider: false });
        }
      }
      expect(complaints).toEqual([]);
    },
    120_000,
  );

  it('sees an error with a button to try again, after which the page works', async () => {
    const page = await operator.tab();
    await page.route('**/account/operator/accounts*', (route) =>
      route.fulfill({
        status: 500,
        json: { success: false, error: { code: 'INTERNAL_ERROR', message: 'Broken' } },
      }),
    );
    await page.goto('/operator');
    await page.getByLabel('Loading', { exact: true }).waitFor();
    await page.getByText('Broken').waitFor();
    await page.unroute('**/account/operator/accounts*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    await page.goto('/operator/accounts/acct_nobody');
    await page.getByText('There is no such account.').waitFor();
    await page.close();
  }, 120_000);
});

describe('an account that is not an operator', () => {
  it('has no link to the pages for operators, and their address is a page not found', async () => {
    const { page } = await world.visitor();
    await signUp(page);
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/operator');
    await heading(page, 'Page not found').waitFor();
    expect(asked.filter((path) => path.startsWith('/account/operator'))).toEqual([]);
  }, 120_000);

  it('loses the pages with the next request after it ceased to be an operator', async () => {
    const { page } = await world.visitor();
    const { account } = await signUp(page);
    await world.system.operator('operators', 'add', account);
    await page.goto('/operator');
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    await world.system.operator('operators', 'remove', account);
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await heading(page, 'Page not found').waitFor();
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
  }, 120_000);
});
