import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { heading, textOf } from './browser.ts';
import { type Person, password, signIn } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

const signOut = async (page: Page, { email }: Person) => {
  await page.getByRole('button', { name: email }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
};

/** The code of a seed at this moment (RFC 6238, RFC 4648). */
function codeOf(seed: string): string {
  const bits = [...seed].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  );
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

describe('security', () => {
  it('two-step sign-in is switched on by an app, asks for a code or a recovery code, and is switched off', async () => {
    const { page, person } = await world.newHolder();
    await page.goto('/profile/security');
    const section = page.getByRole('region', { name: 'Two-step sign-in' });
    await section.getByRole('button', { name: 'Switch on two-step sign-in' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(await textOf(dialog.locator('code'))));
    await dialog.getByRole('button', { name: 'Switch on' }).click();
    const stored = dialog.getByRole('button', { name: 'I have stored them' });
    await stored.waitFor();
    const codes = (await textOf(dialog.locator('code'))).split(/\s+/);
    expect(codes).toHaveLength(10);
    await stored.click();
    await section.getByText('10 of 10 recovery codes left.').waitFor();

    await signOut(page, person);
    await signIn(page, person);
    const code = page.getByLabel('Code');
    await code.fill('000000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('is wrong, or was used already').waitFor();
    await code.fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').first().waitFor();

    await page.goto('/profile');
    const changing = page.getByRole('region', { name: 'Password' });
    await changing.getByRole('button', { name: 'Change password' }).click();
    await changing.getByLabel('Current password').fill(password);
    await changing.getByLabel('New password').fill('a wholly different one');
    await changing.getByRole('button', { name: 'Change password' }).click();
    await changing.getByLabel('Code').fill(codes[2] ?? '');
    await changing.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed.').waitFor();

    await page.goto('/profile/security');
    await section.getByText('8 of 10 recovery codes left.').waitFor();
    await section.getByRole('button', { name: 'Create recovery codes' }).click();
    await dialog.getByLabel('Current password').fill('a wholly different one');
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codes[1] ?? '');
    await dialog.getByRole('button', { name: 'Create recovery codes' }).click();
    await stored.waitFor();
    const [fresh = ''] = (await textOf(dialog.locator('code'))).split(/\s+/);
    await stored.click();
    await page.getByText('You have new recovery codes.').waitFor();
    await section.getByRole('button', { name: 'Switch off' }).click();
    await dialog.getByLabel('Current password').fill('a wholly different one');
    await dialog.getByRole('textbox', { name: 'Code' }).fill(fresh);
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await section.getByRole('button', { name: 'Switch on two-step sign-in' }).waitFor();
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await sessions.getByText('This session').waitFor();
  });

  it('a passkey is added, signs in, and is removed', async () => {
    const { page, context, person } = await world.newHolder({ byName: true });
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto('/profile/security');
    const section = page.getByRole('region', { name: 'Passkeys' });
    await section.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Test phone');
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    const row = section.getByRole('row').filter({ hasText: 'Test phone' });
    await row.getByRole('cell', { name: 'Never' }).waitFor();

    await signOut(page, person);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('navigation').first().waitFor();
    await page.goto('/profile/security');
    await section.getByRole('button', { name: 'Remove Test phone' }).click();
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Remove passkey' }).click();
    await section.getByText('No passkeys yet').waitFor();
  });
});
