import { describe, expect, it } from 'vitest';
import { freshAddress, heading, textOf } from './browser.ts';
import { createKey, freshEmail, password, signIn, signUp } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

describe('a session', () => {
  it('survives reloads, ends in all tabs by signing out, and after signing in leads to the requested page', async () => {
    const { page, tab } = await world.visitor();
    const person = await signUp(page);
    await page.goto('/usage');
    await heading(page, 'Usage').waitFor();
    // Each reload interrupts the requests of the one before.
    for (let at = 0; at < 4; at += 1) {
      const asked = page.waitForRequest('**/account');
      await page.reload({ waitUntil: 'commit' });
      await asked;
    }
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
  });

  it('is asked for by a form that says at its fields what is missing, and is sent once they are filled', async () => {
    const { page } = await world.visitor();
    await page.goto('/sign-in');
    const submit = page.getByRole('button', { name: 'Sign in' });
    let sent = 0;
    page.on('request', (request) => {
      sent += request.method() === 'POST' && request.url().endsWith('/account/session') ? 1 : 0;
    });
    await submit.click();
    await page.getByText('Enter an e-mail address.').waitFor();
    await page.getByText('Enter your password.').waitFor();
    expect(await page.evaluate('document.activeElement.type')).toBe('email');
    await page.getByLabel('E-mail address').fill(freshEmail());
    await page.getByText('Enter an e-mail address.').waitFor({ state: 'hidden' });
    expect(sent).toBe(0);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await submit.click();
    await page.getByRole('alert').waitFor();
    expect(sent).toBe(1);
  });

  it('is offered to whoever signs up with an address that has an account, and the address goes along', async () => {
    const [{ page: first }, { page }] = [await world.visitor(), await world.visitor()];
    const { email } = await signUp(first);
    await page.goto('/sign-up');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: 'Sign in instead' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await heading(page, 'Forgot your password?').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
  });

  it('stays valid when many tabs renew it at once, and when an old page renews it', async () => {
    const { page, tab } = await world.visitor();
    await signUp(page);
    const tabs = await Promise.all([1, 2, 3].map(() => tab()));
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(tabs.map((each) => each.goto('/usage')));
      for (const each of tabs) await heading(each, 'Usage').waitFor();
    }
    // After ten minutes the access token has expired.
    await page.clock.install();
    await page.goto('/profile/api');
    await heading(page, 'API settings').waitFor();
    await page.clock.fastForward('11:00');
    const renewed = page.waitForResponse((answer) => answer.url().endsWith('/account/session/refresh'));
    await page.getByRole('link', { name: 'Usage' }).click();
    expect((await renewed).status()).toBe(200);
    await page.getByRole('region', { name: 'Today' }).waitFor();
  });

  it('that was ended elsewhere is reported, and the same page is shown after signing in', async () => {
    const [mine, other] = [await world.visitor(), await world.visitor()];
    const person = await signUp(mine.page);
    await other.page.goto('/sign-in');
    await signIn(other.page, person);
    await heading(other.page, 'Getting started').waitFor();
    await other.page.clock.install();
    await other.page.goto('/signals?status=dead');
    await heading(other.page, 'Signals').waitFor();

    await mine.page.goto('/profile');
    await mine.page.getByRole('button', { name: 'Change password' }).click();
    await mine.page.getByLabel('Current password').fill('not this one at all');
    await mine.page.getByLabel('New password').fill('another battery staple');
    await mine.page.getByRole('button', { name: 'Change password' }).click();
    await mine.page.getByText('is not the current password').waitFor();
    await mine.page.getByLabel('Current password').fill(password);
    await mine.page.getByRole('button', { name: 'Change password' }).click();
    await mine.page.getByText('Your password is changed.').waitFor();

    await other.page.clock.fastForward('05:01');
    await other.page.getByText('Your session has ended').waitFor();
    await signIn(other.page, person, 'another battery staple');
    await heading(other.page, 'Signals').waitFor();
    expect(other.page.url()).toMatch(/\/signals\?status=dead$/);
  });

  it('does not begin with a wrong password, and the form says what is wrong', async () => {
    const { page } = await world.visitor();
    await page.goto('/sign-up');
    await page.getByLabel('E-mail address').fill('nobody');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Must be an e-mail address.').waitFor();
    await page.getByText('Must have at least 12 characters.').waitFor();
    await page.goto('/sign-in');
    await signIn(page, { email: freshEmail() }, 'whatever it may be');
    expect(await textOf(page.getByRole('alert'))).toMatch(/password|e-mail/i);
  });
});

describe('another account that signs in in the same browser', () => {
  it('replaces the first account in a tab, which then shows and does nothing for the first one', async () => {
    const { page, context } = await world.visitor();
    await page.clock.install();
    await signUp(page);
    await createKey(page, 'Of the first');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Begun by the first');

    // The browser now has the other account's cookie. This tab learns that when its access token expires.
    const email = freshEmail();
    const other = await context.request.post('/account', { data: { email, password } });
    expect(other.status()).toBe(201);
    await page.clock.fastForward('11:00');
    const held = Promise.withResolvers<void>();
    await page.route('**/account/keys', async (route) => {
      if (route.request().method() === 'GET') await held.promise;
      await route.continue();
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('button', { name: email }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await textOf(page.locator('body'))).not.toMatch(/of the first|by the first/i);
    held.resolve();
    await page.getByText('No API keys yet').waitFor();
  });

  it('appears at once in a tab that shows the first account', async () => {
    const { page, tab } = await world.visitor();
    const email = freshEmail();
    await fetch(`${world.system.gatewayUrl}/account`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...freshAddress() },
      body: JSON.stringify({ email, password }),
    });
    // This tab can't learn who signs in elsewhere, so it still offers to sign in.
    const second = await tab();
    await second.route(/\/account(\/session\/refresh)?$/, (route) => route.abort());
    await second.goto('/sign-in');
    await signUp(page);
    await createKey(page, 'Of the first');
    await signIn(second, { email });
    await page.getByRole('button', { name: email }).waitFor();
    await page.getByText('No API keys yet').waitFor();
    expect(await page.getByText('Of the first').count()).toBe(0);
  });
});

describe('a request', () => {
  it('that is refused after another request has renewed the session is sent again with the new token', async () => {
    const page = await world.tab();
    await page.goto('/usage');
    await heading(page, 'Usage').waitFor();
    let old: string | undefined;
    const renewed = page.waitForResponse('**/account/session/refresh');
    const refuse = { status: 401, json: { success: false, error: { code: 'UNAUTHORIZED', message: 'no' } } };
    await page.route('**/v1/{signals,stats}?**', async (route) => {
      const token = route.request().headers().authorization;
      old ??= token;
      if (token !== old) return route.continue();
      if (route.request().url().includes('/v1/stats')) await (await renewed).finished();
      return route.fulfill(refuse);
    });
    await page.getByRole('link', { name: 'Signals' }).click();
    await page.getByText('By type, and what could be realized').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
