import type { Page } from 'playwright-core';
import type { TestSystem } from '../system.ts';
import { textOf } from './browser.ts';

export const password = 'correct horse battery';

let people = 0;

/** An e-mail address that nobody has signed up with. */
export function freshEmail(): string {
  people += 1;
  return `holder-${process.pid}-${Date.now()}-${people}@example.test`;
}

/** An account holder. */
export type Person = { readonly email: string; readonly account: string };

/** Signs up as a person does, and waits for the first steps. */
export async function signUp(page: Page, email = freshEmail()): Promise<Person> {
  await page.goto('/sign-up');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  const answered = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/account');
  await page.getByRole('button', { name: 'Create account' }).click();
  const { data } = (await (await answered).json()) as { data: { account: { id: string } } };
  await page.getByRole('heading', { name: 'Getting started' }).waitFor();
  return { email, account: data.account.id };
}

/** Gives an account a plan without limits that a test could reach. */
export async function liftLimits(system: TestSystem, { account }: Person): Promise<void> {
  await system.operator('account', 'plan', account, 'unlimited');
}

/** Signs in with a page that shows the form. */
export async function signIn(page: Page, { email }: Pick<Person, 'email'>, secret = password): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The status that a program gets with an API key. */
export async function statusWith({ gatewayUrl }: TestSystem, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${gatewayUrl}/v1/signals?limit=1`, { headers })).status;
}

/** Makes a key in the API settings. @returns the key, which is shown only once. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.goto('/profile/api');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  const key = await textOf(page.getByRole('dialog').locator('code'));
  await page.getByRole('button', { name: 'I have stored it' }).click();
  return key;
}
