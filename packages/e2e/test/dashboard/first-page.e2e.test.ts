import { eventually } from '@sigcast/testing';
import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { heading, hold } from './browser.ts';
import { createKey, signUp } from './people.ts';
import { makeSignals } from './signals.ts';
import { useDashboard } from './use-dashboard.ts';

const world = useDashboard();

beforeAll(() => makeSignals(world.system, 5));

/** Collects the paths that a page requests. */
function askedBy(page: Page): () => readonly string[] {
  const asked: string[] = [];
  page.on('request', (request: Request) => asked.push(new URL(request.url()).pathname));
  return () => asked;
}

const has = (paths: readonly string[], pattern: RegExp) => paths.some((path) => pattern.test(path));

describe('the first page of somebody whose browser knows the session', () => {
  it('requests its files while the session is renewed, and then all its data at once', async () => {
    const page = await world.tab();
    await createKey(page, 'Known');
    // On this page the browser learns that its account has a key.
    await page.goto('/getting-started');
    await page.getByText('Done').first().waitFor();

    const fresh = await world.tab();
    const asked = askedBy(fresh);
    const renewed = await hold(fresh, '**/account/session/refresh');
    const answered = await hold(fresh, /\/v1\/(signals|stats)\?/);
    await fresh.goto('/home', { waitUntil: 'commit' });
    await eventually(() => {
      expect(asked()).toContain('/account/session/refresh');
      expect(has(asked(), /^\/assets\/signed-in-.*\.js$/)).toBe(true);
      expect(has(asked(), /^\/assets\/signals-page-.*\.js$/)).toBe(true);
    });
    expect(has(asked(), /^\/v1\//)).toBe(false);
    renewed();
    await eventually(() => {
      expect(asked()).toEqual(expect.arrayContaining(['/v1/signals', '/v1/stats', '/v1/stream']));
    });
    answered();
    await fresh.getByRole('table', { name: 'Signals' }).waitFor();
    await fresh.getByText('By type, and what could be realized').waitFor();
    // The answer says whose session it is, and the browser knows the first page: no other account request is needed.
    expect(asked().filter((path) => path.startsWith('/account'))).toEqual(['/account/session/refresh']);
  });

  it('shows its data after a reload before the account is confirmed', async () => {
    const page = await world.tab();
    await page.goto('/signals');
    await heading(page, 'Signals').waitFor();
    const known = await hold(page, /\/account$/);
    await page.reload();
    await page.getByRole('table', { name: 'Signals' }).waitFor();
    known();
  });

  it('loads the chart when it comes into view, and keeps its height before and after', async () => {
    const page = await world.tab();
    const authorization = `Bearer ${await createKey(page, 'Chart')}`;
    await world.system.api('/v1/signals', { headers: { authorization } });
    await page.setViewportSize({ width: 390, height: 300 });
    const asked = askedBy(page);
    // Usage is written every five seconds.
    await eventually(
      async () => {
        await page.goto('/usage');
        await page.getByRole('table', { name: 'Requests' }).waitFor({ timeout: 5_000 });
      },
      { timeoutMs: 60_000 },
    );
    // What is below the chart has data of its own, and is higher where a machine is slow: its latencies are longer words.
    await page.getByRole('table', { name: 'Usage by key' }).getByText('Chart').waitFor();
    expect(has(asked(), /\/(usage-chart|charts)-.*\.js$/)).toBe(false);
    const height = () => page.evaluate('document.documentElement.scrollHeight');
    const before = await height();
    // What is directly above the table.
    await page.evaluate(
      `scrollTo(0, scrollY + document.querySelector('[aria-label=Requests]').getBoundingClientRect().top - innerHeight)`,
    );
    await page.locator('.recharts-surface').first().waitFor();
    expect(has(asked(), /\/usage-chart-.*\.js$/)).toBe(true);
    expect(has(asked(), /\/charts-.*\.js$/)).toBe(true);
    expect(await height()).toBe(before);
  });
});

describe('somebody who signs up', () => {
  it('requests the files of the first steps while the account is created', async () => {
    const { page } = await world.visitor();
    const asked = askedBy(page);
    const made = await hold(page, /\/account$/);
    const signedUp = signUp(page);
    await eventually(() => {
      expect(asked()).toContain('/account');
      expect(has(asked(), /^\/assets\/getting-started-page-.*\.js$/)).toBe(true);
    });
    made();
    await signedUp;
  });
});
