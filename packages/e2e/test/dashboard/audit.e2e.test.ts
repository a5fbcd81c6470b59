import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { heading, textOf } from './browser.ts';
import { createKey } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

it('the holder of an account sees who did what, chooses what is shown, and exports it', async () => {
  const { page, person } = await world.newHolder();
  await createKey(page, 'Trading bot');
  await page.getByRole('button', { name: person.email }).click();
  await page.getByRole('menuitem', { name: 'Activity' }).click();
  await heading(page, 'Activity').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'API key created' });
  expect(await textOf(row)).toMatch(
    new RegExp(`Trading bot\\s+${person.email}\\s+10\\.[\\d.]+\\s+Chrome on`),
  );
  const rows = page.getByRole('table', { name: 'Activity' }).locator('tbody tr');
  await page.getByLabel('Show').selectOption('Signed in');
  await rows.filter({ hasText: 'API key created' }).waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(1);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines.map((line) => line.split(',')[2])).toEqual(['action', 'session.started']);
});
