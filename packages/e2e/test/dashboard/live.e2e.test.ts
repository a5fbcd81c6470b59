import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newSignal } from '../system.ts';
import { type DashboardWorld, dashboardWorld } from './browser.ts';
import { liftLimits, signUp } from './people.ts';

let world: DashboardWorld;

beforeAll(async () => {
  world = await dashboardWorld();
}, 240_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
}, 30_000);

describe('the table of signals', () => {
  it('shows a new signal and its end as they happen, without asking for the list again', async () => {
    const { page, complaints } = await world.visitor();
    await liftLimits(world.system, await signUp(page));
    // The page's clock stands still, so nothing but the stream can bring anything.
    await page.clock.install();
    await page.goto('/signals');
    await page.getByText('No signals yet').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    let lists = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/signals?')) lists += 1;
    });

    const { body } = await world.system.ingest('POST', '', newSignal('wallet'));
    const row = page.getByRole('table', { name: 'Signals' }).locator('tbody tr');
    await row.getByText('Active').waitFor();
    const { id } = body.data as { id: string };
    await world.system.ingest('PATCH', `/${id}`, { metrics: { mcap_current: 350_000 }, status: 'winner' });
    await row.getByText('Winner').waitFor();
    await row.getByText('+250 %').first().waitFor();
    expect(lists).toBe(0);
    expect(complaints).toEqual([]);
  }, 180_000);
});
