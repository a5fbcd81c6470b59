import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { textOf } from './browser.ts';
import { createKey } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

it('a request is found by its id, with its error, and a command that repeats it without the key', async () => {
  const page = await world.tab();
  const key = await createKey(page, 'Trading bot');
  const id = randomUUID();
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': id };
  const answer = await fetch(`${world.system.gatewayUrl}/v1/signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z`, {
    headers,
  });
  expect(answer.status).toBe(404);
  await page.goto('/requests');
  await page.getByLabel('Live').check({ force: true });
  await page.getByRole('searchbox', { name: 'Request id' }).fill(id);
  await page.keyboard.press('Enter');
  const row = page.getByRole('table', { name: 'Requests' }).getByRole('row').filter({ hasText: '404' });
  await row.getByRole('cell', { name: 'NOT_FOUND', exact: true }).waitFor();
  expect(await textOf(row)).toContain('Trading bot');
  expect(new URL(page.url()).searchParams.get('request_id')).toBe(id);
  await row.getByRole('link', { name: 'GET /v1/signals/{signal_id}' }).click();
  const dialog = page.getByRole('dialog');
  const error = dialog.getByRole('link', { name: 'NOT_FOUND' });
  expect(await error.getAttribute('href')).toBe('/docs/errors#NOT_FOUND');
  await dialog.getByRole('button', { name: 'Copy repeat the request' }).click();
  const command = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(command).toContain('/v1/signals/{signal_id}');
  expect(command).toContain('Bearer $SIGCAST_API_KEY');
  expect(await page.content()).not.toContain(key);
});
