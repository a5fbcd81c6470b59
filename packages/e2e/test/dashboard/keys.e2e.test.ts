import { expect, it } from 'vitest';
import { textOf } from './browser.ts';
import { createKey } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

/** What a program gets with a key. */
async function answerTo(key: string, path: string) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${world.system.gatewayUrl}${path}`, { headers });
  return {
    status: answer.status,
    body: (await answer.json()) as { error?: { code: string; message: string } },
  };
}

it('a key is narrowed in its settings, and the next request outside of them is refused with the scope that it lacks', async () => {
  const page = await world.tab();
  const key = await createKey(page, 'Statistics page');
  expect((await answerTo(key, '/v1/signals?limit=1')).status).toBe(200);

  await page.getByRole('button', { name: 'Edit Statistics page' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Only what is selected').check();
  await dialog.getByLabel('stats:read').check();
  await dialog.getByLabel('Networks').fill('127.0.0.0/8\nhome');
  await dialog.getByLabel('Requests a minute').fill('20');
  await dialog.getByRole('button', { name: 'Save key' }).click();
  await dialog.getByText('home: Must be a network such as 203.0.113.0/24').waitFor();
  await dialog.getByLabel('Networks').fill('127.0.0.0/8');
  await dialog.getByRole('button', { name: 'Save key' }).click();
  await page.getByText('The API key is changed.').waitFor();

  expect(await answerTo(key, '/v1/signals?limit=1')).toMatchObject({
    status: 403,
    body: { error: { code: 'SCOPE_REQUIRED', message: 'This API key lacks the scope signals:read' } },
  });
  expect((await answerTo(key, '/v1/stats')).status).toBe(200);
  const row = page.getByRole('row').filter({ hasText: 'Statistics page' });
  await row.getByText('stats:read · from 127.0.0.0/8 · 20 a minute').first().waitFor();
  await expect
    .poll(
      async () => {
        await page.reload();
        return textOf(row);
      },
      { timeout: 30_000 },
    )
    .toContain('from 127.0.0.1');
});

it('a key is made with scopes and a date on which it expires', async () => {
  const page = await world.tab();
  await page.goto('/profile/api');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Reader');
  await dialog.getByLabel('Expires', { exact: true }).click();
  await page.getByRole('option', { name: 'On a date' }).click();
  const create = dialog.getByRole('button', { name: 'Create API key' });
  await create.click();
  await dialog.getByText('Choose a day.').waitFor();
  const inTwoMonths = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel('Last day').fill(inTwoMonths);
  await dialog.getByLabel('Only what is selected').check();
  await dialog.getByLabel('signals:read').check();
  await create.click();
  await textOf(dialog.locator('code'));
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Reader' });
  expect(await textOf(row)).toMatch(/signals:read[\s\S]*in (59|60|61) days/);
});
