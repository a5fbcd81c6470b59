import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDashboard, pickFreePort } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestSystem, testSystem } from '../system.ts';
import { type DashboardWorld, dashboardWorld, heading, type Visitor } from './browser.ts';
import { createKey, freshEmail, password, signIn, statusWith } from './people.ts';

const dir = mkdtempSync(join(tmpdir(), 'sigcast-recovery-'));
let system: TestSystem;
let world: DashboardWorld;
const opened: Visitor[] = [];

beforeAll(async () => {
  const logFile = join(tmpdir(), `sigcast-dashboard-${process.pid}.log`);
  const dashboard = await buildDashboard({ logFile, report: () => undefined });
  system = await testSystem({
    DASHBOARD_DIR: dashboard,
    TRUST_PROXY: 'true',
    MAIL_DIR: dir,
    PUBLIC_URL: 'http://sigcast.test',
    CONFIRM_SIGN_UPS: 'true',
  });
  world = await dashboardWorld(system);
}, 240_000);
afterAll(async () => {
  for (const { context } of opened) await context.close();
  await system?.stop();
  rmSync(dir, { recursive: true, force: true });
}, 30_000);

/** A browser that knows nobody. */
async function freshBrowser() {
  const visitor = await world.visitor();
  opened.push(visitor);
  return visitor.page;
}

/** The path and fragment of the newest link to a page in a mail to an address, once it has come. */
function linkTo(page: string, email: string): Promise<string> {
  return eventually(
    () => {
      const mails = readdirSync(dir)
        .filter((name) => name.endsWith('.eml'))
        .sort()
        .map((name) =>
          readFileSync(join(dir, name), 'utf8')
            .replace(/=\r?\n/g, '')
            .replaceAll('=3D', '='),
        )
        .filter((mail) => mail.includes(`To: ${email}`));
      const links = mails.flatMap(
        (mail) => mail.match(/http:\/\/sigcast\.test(\/[\w/-]+#token=[\w.-]+)/)?.[1] ?? [],
      );
      const newest = links.filter((link) => link.startsWith(`${page}#`)).at(-1);
      if (newest === undefined) throw new Error(`no link to ${page} in ${mails.length} mails to ${email}`);
      return newest;
    },
    { timeoutMs: 30_000 },
  );
}

it('somebody signs up by a mail, loses the password, gets back in by a mail in a fresh browser, and makes a first request', async () => {
  const email = freshEmail();
  const first = await freshBrowser();
  await first.goto('/sign-up');
  await first.getByLabel('E-mail address').fill(email);
  await first.getByRole('button', { name: 'Send me a link' }).click();
  await heading(first, 'Check your mail').waitFor();
  await first.goto(await linkTo('/sign-up/confirm', email));
  await first.getByLabel('Password', { exact: true }).fill('Password2024!');
  await first.getByRole('button', { name: 'Create account' }).click();
  await first.getByText('Is too common: add a few unrelated words').waitFor();
  await first.getByLabel('Password', { exact: true }).fill(password);
  await first.getByRole('button', { name: 'Create account' }).click();
  await heading(first, 'Getting started').waitFor();

  const fresh = await freshBrowser();
  await fresh.goto('/sign-in');
  await fresh.getByRole('link', { name: 'Forgot your password?' }).click();
  await fresh.getByLabel('E-mail address').fill(email);
  await fresh.getByRole('button', { name: 'Send me a link' }).click();
  await heading(fresh, 'Check your mail').waitFor();
  const link = await linkTo('/reset', email);
  await fresh.goto(link);
  await fresh.getByLabel('New password', { exact: true }).fill('a wholly different one');
  await fresh.getByRole('button', { name: 'Set new password' }).click();
  await heading(fresh, 'Getting started').waitFor();
  const key = await createKey(fresh, 'First');
  expect(await statusWith(system, key)).toBe(200);

  // The other browser is signed out, and the link is used up.
  await first.goto('/profile');
  await heading(first, 'Sign in').waitFor();
  await first.goto(link);
  await first.getByLabel('New password', { exact: true }).fill('and yet another one');
  await first.getByRole('button', { name: 'Set new password' }).click();
  await first.getByText('This link does not work, or no longer').waitFor();
}, 120_000);

it('a holder changes the address by a link, takes the data along, and deletes the account', async () => {
  const [email, other] = [freshEmail(), freshEmail()];
  const page = await freshBrowser();
  await page.goto('/sign-up');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.goto(await linkTo('/sign-up/confirm', email));
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await heading(page, 'Getting started').waitFor();
  await page.goto('/profile');
  const section = page.getByRole('region', { name: 'E-mail address' });
  await section.getByRole('button', { name: 'Change e-mail address' }).click();
  await section.getByLabel('New e-mail address').fill(other);
  await section.getByLabel('Current password').fill(password);
  await section.getByRole('button', { name: 'Change e-mail address' }).click();
  await section.getByText(`Your account keeps ${email}`).waitFor();
  // In a browser that is not signed in.
  const fresh = await freshBrowser();
  await fresh.goto(await linkTo('/confirm', other));
  await heading(fresh, 'Confirm your e-mail address').waitFor();
  await fresh.getByRole('button', { name: 'Sign in' }).click();
  await signIn(fresh, { email });
  await fresh.getByRole('button', { name: 'Confirm this address' }).click();
  await fresh.getByText(`${other} is confirmed.`).waitFor();
  await page.reload();

  const data = page.getByRole('region', { name: 'Your data' });
  const downloading = page.waitForEvent('download');
  await data.getByRole('button', { name: 'Export your data' }).click();
  const download = await downloading;
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8')) as { account: { email: string } };
  expect(exported.account.email).toBe(other);

  await data.getByRole('button', { name: 'Delete your account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current password').fill(password);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await heading(page, 'Sign in').waitFor();
  await signIn(page, { email: other });
  await page.getByText('Wrong e-mail address or password').waitFor();
}, 120_000);

/** A browser in which somebody has just signed up by a mail. */
async function signedUp() {
  const email = freshEmail();
  const page = await freshBrowser();
  await page.goto('/sign-up');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.goto(await linkTo('/sign-up/confirm', email));
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await heading(page, 'Getting started').waitFor();
  return { email, page };
}

it('somebody is invited, accepts by the mail’s link, acts for the account, switches back, and is removed', async () => {
  const [owner, member] = [await signedUp(), await signedUp()];
  await owner.page.goto('/profile/members');
  await owner.page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = owner.page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill(member.email);
  await dialog.getByLabel('Role').selectOption('Viewer');
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await owner.page.getByRole('table', { name: 'Invitations' }).getByText(member.email).waitFor();

  // In a browser that is not signed in.
  const invited = await freshBrowser();
  await invited.goto(await linkTo('/invitation', member.email));
  await heading(invited, 'You are invited to an account').waitFor();
  await invited.getByRole('button', { name: 'Sign in' }).click();
  await signIn(invited, member);
  await invited.getByText(`${owner.email} invites you to their account. Your role will be Viewer.`).waitFor();
  await invited.getByRole('button', { name: 'Accept the invitation' }).click();
  const menu = invited.getByRole('button', { name: owner.email });
  await menu.waitFor();
  expect(await menu.textContent()).toContain(`${member.email}, viewer`);
  await invited.goto('/profile/members');
  await invited.getByRole('row').filter({ hasText: owner.email }).getByText('Founder').waitFor();
  expect(await invited.getByRole('button', { name: 'Invite member' }).count()).toBe(0);
  // Nothing on a viewer's pages would be refused by the API.
  await owner.page.goto('/webhooks');
  await owner.page.getByRole('button', { name: 'Add webhook' }).click();
  await owner.page
    .getByRole('dialog')
    .getByLabel('Address')
    .fill(`http://127.0.0.1:${await pickFreePort()}/`);
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await owner.page.getByRole('button', { name: 'I have stored it' }).click();
  await owner.page.getByRole('heading', { name: '127.0.0.1' }).waitFor();
  for (const [path, verb] of [
    ['/profile/api', 'Create API key'],
    ['/webhooks', 'Add webhook'],
    ['/getting-started', 'Create API key'],
    ['/getting-started', 'Send test'],
    ['/profile/audit', 'Export as CSV'],
  ] as const) {
    await owner.page.goto(path);
    await owner.page.getByRole('button', { name: verb }).waitFor();
    await invited.goto(path);
    await invited.getByRole('note').filter({ hasText: 'You are a viewer' }).waitFor();
    await invited.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    expect(await invited.getByRole('button', { name: verb }).count()).toBe(0);
  }
  await owner.page.goto('/profile/members');
  await invited.goto('/profile/members');
  await menu.click();
  await invited.getByRole('menuitemradio', { name: member.email }).click();
  await invited.getByRole('row').filter({ hasText: member.email }).getByText('You').waitFor();

  await owner.page.reload();
  await owner.page.getByRole('button', { name: `Remove ${member.email}` }).click();
  await owner.page.getByRole('button', { name: 'Remove member' }).click();
  await owner.page.getByText(member.email).first().waitFor({ state: 'detached' });
}, 120_000);
