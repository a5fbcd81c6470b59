import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { newSignal } from '../system.ts';
import { type DashboardWorld, dashboardWorld, heading, textOf, type Visitor } from './browser.ts';
import { createKey, liftLimits, signUp } from './people.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const contract = '0x6982508145454ce325ddbe47a25d4ec3d2311933';

/** Receivers that fail are asked seldom, and the page looks every five seconds. */
const longWait = { timeoutMs: 40_000 };

let world: DashboardWorld;
let receiver: Receiver;

beforeAll(async () => {
  world = await dashboardWorld({ WEBHOOK_RETRY_DELAYS_MS: '300,400,500' });
  receiver = await startReceiver();
}, 240_000);
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
}, 30_000);

/** Somebody who is signed in, without limits, with webhooks at these paths of the receiver. */
async function holder(paths: readonly string[] = []): Promise<Visitor> {
  const visitor = await world.visitor();
  const { page } = visitor;
  await liftLimits(world.system, await signUp(page));
  if (paths.length === 0) return visitor;
  const key = await createKey(page, 'Webhooks');
  for (const path of paths) {
    const { status } = await fetch(`${world.system.gatewayUrl}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url + path, events: ['signal.new', 'signal.winner'] }),
    });
    expect(status).toBe(201);
  }
  return visitor;
}

async function makeSignal(changes: object = {}): Promise<string> {
  const signal = newSignal('wallet');
  const token = { ...signal.token, contract, ...changes };
  const { body } = await world.system.ingest('POST', '', { ...signal, token });
  return (body.data as { id: string }).id;
}

const patch = (id: string, change: object) => world.system.ingest('PATCH', `/${id}`, change);
const winner = { metrics: { mcap_current: 350_000 }, status: 'winner' };

/** Waits until events of a signal can be read, as many as there should be. */
async function untilEvents(id: string, count: number): Promise<void> {
  await eventually(async () => {
    const { body } = await world.system.api(`/v1/events?signal_id=${id}`);
    expect(body.data).toHaveLength(count);
  });
}

/** Waits until the history of a signal has so many changes of the status. */
async function untilHistory(id: string, changes: number): Promise<void> {
  await eventually(async () => {
    const { body } = await world.system.api(`/v1/signals/${id}/history`);
    expect((body.data as { changes: unknown[] } | undefined)?.changes).toHaveLength(changes);
  });
}

const events = (page: Page) => page.getByRole('table', { name: 'Events' }).locator('tbody tr');
const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');

/** What axe-core finds on a page of what keeps somebody from using it. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe('the page of a signal', () => {
  it('has its figures, every event of it, and what was sent of it to each webhook', async () => {
    receiver.script('/second', ...Array.from({ length: 8 }, () => 500));
    const { page, complaints } = await holder(['/first', '/second']);
    const id = await makeSignal();
    await makeSignal({ symbol: 'OTHER' });
    await untilEvents(id, 1);
    await patch(id, winner);
    await untilEvents(id, 2);
    await page.goto(`/signals/${id}`);
    await heading(page, 'NOVA · Nova').waitFor();
    const figures = await textOf(page.getByRole('region', { name: 'Performance' }));
    expect(figures).toMatch(/ROI\s+\+250 %\s+Highest ROI\s+\+250 %/);
    expect(figures).toMatch(/Market cap at entry\s+\$100K\s+Market cap now\s+\$350K/);
    await page.getByText('Winner', { exact: true }).first().waitFor();

    await events(page).nth(1).waitFor();
    expect(await events(page).count()).toBe(2);
    expect(await textOf(events(page).nth(0))).toMatch(/signal\.winner[\s\S]*\+250 %/);
    expect(await textOf(events(page).nth(1))).toMatch(/signal\.new[\s\S]*0 %/);

    await page.getByRole('region', { name: 'Deliveries' }).scrollIntoViewIfNeeded();
    await eventually(async () => {
      const rows = (await deliveries(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
      expect(rows.sort()).toEqual([
        expect.stringMatching(/\/first Delivered signal\.new 200/),
        expect.stringMatching(/\/first Delivered signal\.winner 200/),
        expect.stringMatching(/\/second (Retrying|Failed) signal\.new 500/),
        expect.stringMatching(/\/second (Retrying|Failed) signal\.winner 500/),
      ]);
    }, longWait);
    await deliveries(page).filter({ hasText: '/second' }).first().getByRole('link').click();
    await page.getByRole('dialog').getByRole('link', { name: id }).waitFor();
    expect(page.url()).toMatch(new RegExp(`/webhooks/wh_\\w+\\?signal_id=${id}&delivery=`));
    expect(complaints).toEqual([]);
  }, 180_000);

  it('says beside the highest return what could be realized, by what rule, and how that ended', async () => {
    const tracker = await world.system.operator<{ token: string }>(
      ...['token', 'create', '--subject', 'tracker', '--scope', 'signals:decide'],
    );
    const observe = async (id: string, roi: number, exit: 'stop' | null) => {
      const observed_at = new Date().toISOString();
      const realizable = {
        ...{ rule: 'v1', roi, entered_at: observed_at, exited_at: exit && observed_at, exit },
      };
      const metrics = { mcap_current: 350_000 };
      const observations = [{ id, observed_at, metrics, realizable }];
      const authorization = `Bearer ${tracker.token}`;
      const { response } = await world.system.ingest(
        ...['POST', '/observations', { observations }, { authorization }],
      );
      expect(response.status).toBe(200);
    };
    const { page, complaints } = await holder();
    const id = await makeSignal();
    await page.goto(`/signals/${id}`);
    const performance = page.getByRole('region', { name: 'Performance' });
    await performance.getByText('No position').waitFor();
    expect(await textOf(performance)).toMatch(/Realizable ROI\s+–\s+Exit by the rule\s+No position/);

    await observe(id, -3.89, null);
    await page.reload();
    await performance.getByText('Still open').waitFor();
    expect(await textOf(performance)).toMatch(
      /Highest ROI\s+\+250 %\s+Realizable ROI\s+−3.89 %\s+Exit by the rule\s+Still open/,
    );
    await observe(id, -61.33, 'stop');
    await page.reload();
    await performance.getByText('Stop', { exact: true }).waitFor();
    expect(await textOf(performance)).toMatch(/Realizable ROI\s+−61.33 %/);

    await performance.getByRole('link', { name: 'fixed rule' }).click();
    await heading(page, 'How figures are defined').waitFor();
    expect(await textOf(page.locator('#realizable'))).toContain('What an order of $100 would have earned');
    expect(complaints).toEqual([]);
  }, 180_000);

  it('charts the history of the signal, with its entry, its highest market cap and its outcome in words, and the figures in a table', async () => {
    const { page, complaints } = await holder();
    const id = await makeSignal();
    await patch(id, { metrics: { mcap_current: 280_000, liquidity: 31_000 } });
    await patch(id, winner);
    await untilHistory(id, 1);
    await page.goto(`/signals/${id}`);
    const history = page.getByRole('region', { name: 'History', exact: true });
    await history.scrollIntoViewIfNeeded();
    await history.locator('svg.recharts-surface').first().waitFor();
    const marks = await history.getByRole('listitem').allInnerTexts();
    expect(marks).toEqual([
      expect.stringMatching(/^Entry: \$100K, /),
      expect.stringMatching(/^Highest: \$350K, /),
      expect.stringMatching(/^Winner: .+, said by the producer$/),
    ]);
    const rows = history.getByRole('table', { name: 'History' }).locator('tbody tr');
    expect((await textOf(rows.first())).replace(/\s+/g, ' ')).toMatch(/\$350K \$31K/);

    const asked = page.waitForRequest((request) => /\/history\?from=/.test(request.url()));
    await history.getByText('24 hours', { exact: true }).click();
    await asked;
    await rows.first().waitFor();

    // Without the stream's event the page would look again only after minutes.
    await page.getByText('Live', { exact: true }).waitFor();
    await patch(id, { status: 'rugged' });
    await history.getByText(/^Rugged: /).waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);

  it('says that there is no history yet, and why it could not be loaded, and tries that again alone', async () => {
    const { page } = await holder();
    const id = await makeSignal();
    await untilHistory(id, 0);
    const refusal = (code: string, message: string) => ({ success: false, error: { code, message } });
    let answer = { status: 404, json: refusal('NOT_FOUND', 'There is no history') as object };
    await page.route(`**/v1/signals/${id}/history*`, (route) => route.fulfill(answer));
    await page.goto(`/signals/${id}`);
    const history = page.getByRole('region', { name: 'History', exact: true });
    await history.scrollIntoViewIfNeeded();
    await history.getByText('No history yet').waitFor();

    const absent = refusal(
      'SERVICE_UNAVAILABLE',
      'The history of signals, which as_of and backtests need, is not available on this system',
    );
    answer = { status: 503, json: { ...absent, error: { ...absent.error, retry_after: 60 } } };
    await page.reload();
    await history.scrollIntoViewIfNeeded();
    await history.getByText('not available on this system').waitFor();
    await page.unroute(`**/v1/signals/${id}/history*`);
    await history.getByRole('button', { name: 'Try again' }).click();
    await history.getByRole('table', { name: 'History' }).waitFor();
  }, 180_000);

  it('says of a signal from before histories were kept that none was recorded', async () => {
    const { page } = await holder();
    const id = await makeSignal();
    await page.route(`**/v1/signals/${id}/history*`, (route) => {
      const error = { code: 'NOT_FOUND', message: 'There is no history' };
      return route.fulfill({ status: 404, json: { success: false, error } });
    });
    await page.route(`**/v1/signals/${id}`, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { data: object };
      const json = { ...answer, data: { ...answer.data, created_at: '2026-01-01T12:00:00.000Z' } };
      await route.fulfill({ response, json });
    });
    await page.goto(`/signals/${id}`);
    const history = page.getByRole('region', { name: 'History', exact: true });
    await history.scrollIntoViewIfNeeded();
    await history.getByText('No history was recorded for this signal').waitFor();
  }, 180_000);

  it('leads to explorers of the chains that the contract can be on, which learn nothing of the page', async () => {
    const { page } = await holder();
    await page.goto(`/signals/${await makeSignal()}`);
    const link = page.getByRole('link', { name: 'Ethereum' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`https://etherscan.io/token/${contract}`);
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener');
    await page.context().route('https://etherscan.io/**', (route) => route.fulfill({ body: 'the explorer' }));
    const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await opened.getByText('the explorer').waitFor();
    expect(await opened.evaluate('[document.referrer, window.opener]')).toEqual(['', null]);

    const solana = 'So11111111111111111111111111111111111111112';
    await page.goto(`/signals/${await makeSignal({ contract: solana })}`);
    const solscan = page.getByRole('link', { name: 'Solana' });
    expect(await solscan.getAttribute('href')).toBe(`https://solscan.io/token/${solana}`);
    expect(await page.getByRole('link', { name: 'Ethereum' }).count()).toBe(0);
  }, 180_000);

  it('copies the JSON that the API answers', async () => {
    const { page } = await holder();
    const id = await makeSignal();
    await page.goto(`/signals/${id}`);
    await page.getByRole('button', { name: 'Copy JSON' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    const { body } = await world.system.api(`/v1/signals/${id}`);
    expect(JSON.parse(copied)).toEqual(body.data);
  }, 180_000);

  it('shows what happens to the signal while it is looked at', async () => {
    const { page, complaints } = await holder(['/live']);
    const id = await makeSignal();
    await untilEvents(id, 1);
    await page.goto(`/signals/${id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await events(page).first().waitFor();
    await page.getByRole('region', { name: 'Deliveries' }).scrollIntoViewIfNeeded();
    await deliveries(page).first().waitFor();
    await patch(id, winner);
    await page.getByRole('region', { name: 'Performance' }).getByText('+250 %').first().waitFor();
    await eventually(async () => expect(await events(page).count()).toBe(2));
    await deliveries(page).nth(1).getByText('Delivered').waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);

  it('asks five webhooks of many for their deliveries, and the others when somebody wants them', async () => {
    const { page } = await holder(Array.from({ length: 7 }, (_, at) => `/many/${at}`));
    const id = await makeSignal();
    const asked = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('/deliveries')) asked.add(pathname);
    });
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto(`/signals/${id}`);
    await events(page).first().waitFor();
    expect(asked.size).toBe(0);
    await page.getByRole('region', { name: 'Deliveries' }).scrollIntoViewIfNeeded();
    const more = page.getByRole('button', { name: 'Show the deliveries of 2 more webhooks' });
    await more.waitFor();
    await eventually(async () => expect(await deliveries(page).count()).toBe(5));
    expect(asked.size).toBe(5);
    await more.click();
    await eventually(async () => expect(await deliveries(page).count()).toBe(7));
    expect(asked.size).toBe(7);
    await more.waitFor({ state: 'hidden' });
  }, 180_000);

  it('says what is empty and what could not be loaded, and tries that again alone', async () => {
    const nobody = await holder();
    const id = await makeSignal();
    await nobody.page.goto(`/signals/${id}`);
    await nobody.page.getByRole('region', { name: 'Deliveries' }).scrollIntoViewIfNeeded();
    await nobody.page.getByText('No webhooks yet').waitFor();

    const { page } = await holder(['/good', '/bad']);
    const refusal = { success: false, error: { code: 'INVALID_REQUEST', message: 'Not today' } };
    const refuse = { status: 400, json: refusal };
    await page.route('**/v1/events?**', (route) => route.fulfill(refuse));
    let refused = 0;
    await page.route('**/v1/webhooks/*/deliveries?**', (route) => {
      refused += 1;
      return refused === 1 ? route.fulfill(refuse) : route.continue();
    });
    await page.goto(`/signals/${id}`);
    const list = page.getByRole('region', { name: 'Deliveries' });
    await page.getByRole('region', { name: 'Events' }).getByText('Not today').waitFor();
    await list.scrollIntoViewIfNeeded();
    await list.getByText('The deliveries of 1 of 2 webhooks could not be loaded: Not today').waitFor();
    await list.getByRole('button', { name: 'Try again' }).click();
    await list.getByText('No deliveries of this signal').waitFor();
    await page.unroute('**/v1/events?**');
    await page.getByRole('region', { name: 'Events' }).getByRole('button', { name: 'Try again' }).click();
    await events(page).first().waitFor();
  }, 180_000);

  it('can be used by everybody at every width, light and dark, without being wider than the screen', async () => {
    const { page, complaints } = await holder(['/everywhere']);
    const id = await makeSignal({ name: 'A token whose name is as long as names of tokens hardly ever are' });
    await untilEvents(id, 1);
    await untilHistory(id, 0);
    const problems: string[] = [];
    for (const width of [390, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(`/signals/${id}`);
        await events(page).first().waitFor();
        const history = page.getByRole('region', { name: 'History', exact: true });
        await history.scrollIntoViewIfNeeded();
        await history.getByRole('table').waitFor();
        await page.getByRole('region', { name: 'Deliveries' }).scrollIntoViewIfNeeded();
        await deliveries(page).first().waitFor();
        const look = `${width} ${colorScheme}`;
        const overhang = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        if (overhang > 0) problems.push(`${look} is ${overhang} px too wide`);
        problems.push(...(await findings(page)).map((found) => `${look} ${found}`));
      }
    }
    expect(problems).toEqual([]);
    expect(complaints).toEqual([]);
  }, 180_000);
});
