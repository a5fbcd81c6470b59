import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSignal } from '../system.ts';
import { problemsOf } from './axe.ts';
import { copyUntil, excessWidth, heading, textOf } from './browser.ts';
import { createKey } from './people.ts';
import { useDashboard } from './use-dashboard.ts';

const contract = '0x6982508145454ce325ddbe47a25d4ec3d2311933';

/** Receivers that fail are tried seldom, and the page asks every five seconds. */
const longWait = { timeoutMs: 40_000 };

const world = useDashboard();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.[Symbol.asyncDispose]());

/** The page of a new account holder with webhooks at these paths of the receiver. */
async function holderWith(paths: readonly string[]): Promise<Page> {
  const { page } = await world.newHolder();
  const headers = { authorization: `Bearer ${await createKey(page, 'Webhooks')}` };
  for (const path of paths) {
    const body = JSON.stringify({ url: receiver.url + path, events: ['signal.new', 'signal.winner'] });
    const { response } = await world.system.api('/v1/webhooks', { method: 'POST', headers, body });
    expect(response.status).toBe(201);
  }
  return page;
}

const makeSignal = (token: object = {}) => world.system.createSignal('wallet', { contract, ...token });

const patch = (id: string, change: object) => world.system.ingest('PATCH', `/${id}`, change);
const winner = { metrics: { mcap_current: 350_000 }, status: 'winner' };

/** Waits until `count` events of a signal can be read. */
async function untilEvents(id: string, count: number): Promise<void> {
  await eventually(async () => {
    const { body } = await world.system.api(`/v1/events?signal_id=${id}`);
    expect(body.data).toHaveLength(count);
  });
}

/** Waits until the history of a signal has `changes` changes of the status. */
async function untilHistory(id: string, changes: number): Promise<void> {
  await eventually(async () => {
    const { body } = await world.system.api(`/v1/signals/${id}/history`);
    expect((body.data as { changes: unknown[] } | undefined)?.changes).toHaveLength(changes);
  });
}

/** The requests that have come to a path of the receiver. */
const received = (path: string) => receiver.requests.filter((request) => request.path === path);

const events = (page: Page) => page.getByRole('table', { name: 'Events' }).locator('tbody tr');
const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');

describe('the page of a signal', () => {
  it('shows its figures, its events, and its deliveries to each webhook, and their changes while it is open', async () => {
    receiver.script('/second', 200, ...Array.from({ length: 8 }, () => 500));
    const page = await holderWith(['/first', '/second']);
    const name = 'A token whose name is as long as names of tokens hardly ever are';
    // An address that has never answered with success is tried ever more seldom, all its deliveries together.
    await makeSignal({ symbol: 'OTHER' });
    await eventually(() => expect(received('/second')).toHaveLength(1));
    const id = await makeSignal({ name });
    await untilEvents(id, 1);
    await eventually(() => expect(received('/first')).toHaveLength(2));
    await untilHistory(id, 0);
    await page.goto(`/signals/${id}`);
    await heading(page, `NOVA · ${name}`).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await events(page).first().waitFor();
    const history = page.getByRole('region', { name: 'History', exact: true });
    await history.scrollIntoViewIfNeeded();
    await history.getByText(/in figures$/).waitFor();
    await page.getByRole('region', { name: 'Deliveries' }).scrollIntoViewIfNeeded();
    await deliveries(page).first().waitFor();

    await patch(id, winner);
    const performance = page.getByRole('region', { name: 'Performance' });
    await performance.getByText('+250.0%').first().waitFor();
    const figures = await textOf(performance);
    expect(figures).toMatch(/ROI\s+\+250.0%\s+Peak ROI\s+\+250.0%/);
    expect(figures).toMatch(/Market cap at entry\s+\$100K\s+Market cap now\s+\$350K/);
    await page.getByText('Winner', { exact: true }).first().waitFor();
    await eventually(async () => expect(await events(page).count()).toBe(2));
    expect(await textOf(events(page).nth(0))).toMatch(/signal\.winner[\s\S]*\+250.0%/);
    expect(await textOf(events(page).nth(1))).toMatch(/signal\.new[\s\S]*0.0%/);
    await eventually(async () => {
      const rows = (await deliveries(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
      expect(rows.sort()).toEqual([
        expect.stringMatching(/\/first signal\.new Delivered 200/),
        expect.stringMatching(/\/first signal\.winner Delivered 200/),
        expect.stringMatching(/\/second signal\.new (Retrying|Failed) 500/),
        expect.stringMatching(/\/second signal\.winner (Retrying|Failed) 500/),
      ]);
    }, longWait);
    for (const width of [768, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await excessWidth(page)).toBeLessThanOrEqual(0);
    }
    expect(await problemsOf(page, 'signal')).toEqual([]);

    await deliveries(page).filter({ hasText: '/second' }).first().getByRole('link').click();
    await page.getByRole('dialog').locator(`a[href="/signals/${id}"]`).waitFor();
    expect(page.url()).toMatch(new RegExp(`/webhooks/wh_\\w+\\?signal_id=${id}&delivery=`));
  });

  it('has events, each with its deliveries by webhook, which are sent again from there', async () => {
    const page = await holderWith(['/third', '/fourth']);
    const id = await makeSignal();
    await patch(id, winner);
    await untilEvents(id, 2);
    const { body } = await world.system.api(`/v1/events?signal_id=${id}`);
    const [{ id: event } = { id: '' }] = body.data as { id: string }[];
    await eventually(() => expect(received('/third')).toHaveLength(2));
    await eventually(() => expect(received('/fourth')).toHaveLength(2));
    await page.goto(`/events?open=${event}`);
    const panel = page.getByRole('dialog');
    const rows = panel.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
    const third = rows.filter({ hasText: '/third' });
    await third.getByText('Delivered').waitFor();
    await eventually(async () => expect(await rows.count()).toBe(2));
    await third.getByRole('button', { name: 'Send again' }).click();
    await eventually(() => expect(received('/third')).toHaveLength(3));
    expect(await problemsOf(page, 'event', ['serious', 'critical'])).toEqual([]);
  });

  it('shows beside the highest return what could be realized, by which rule, and how the position ended', async () => {
    const tracker = await world.system.operator<{ token: string }>(
      ...['token', 'create', '--subject', 'tracker', '--scope', 'signals:decide'],
    );
    const observe = async (id: string, roi: number, exit: 'stop' | null) => {
      const observed_at = new Date().toISOString();
      const realizable = {
        rule: 'v1',
        roi,
        entered_at: observed_at,
        exited_at: exit && observed_at,
        exit,
      };
      const metrics = { mcap_current: 350_000 };
      const observations = [{ id, observed_at, metrics, realizable }];
      const authorization = `Bearer ${tracker.token}`;
      const { response } = await world.system.ingest(
        ...['POST', '/observations', { observations }, { authorization }],
      );
      expect(response.status).toBe(200);
    };
    const page = await world.tab();
    const id = await makeSignal();
    await page.goto(`/signals/${id}`);
    const performance = page.getByRole('region', { name: 'Performance' });
    await performance.getByText('No position').waitFor();
    expect(await textOf(performance)).toMatch(
      /Realizable ROI\s+–\s+Not bought by the rule\s+Time to peak[\s\S]+Exit by the rule\s+No position/,
    );

    await observe(id, -3.89, null);
    await page.reload();
    await performance.getByText('Still open').waitFor();
    expect(await textOf(performance)).toMatch(
      /Peak ROI\s+\+250.0%\s+Realizable ROI\s+−3.9%\s+Time to peak[\s\S]+Exit by the rule\s+Still open/,
    );
    await observe(id, -61.33, 'stop');
    await page.reload();
    await performance.getByText('Stop', { exact: true }).waitFor();
    expect(await textOf(performance)).toMatch(/Realizable ROI\s+−61.3%/);

    await performance.getByRole('link', { name: 'fixed rule' }).click();
    await heading(page, 'How figures are defined').waitFor();
    expect(await textOf(page.locator('#realizable'))).toContain('What an order of $100 would have earned');
  });

  it('says by which rule and from which figures it was made, and what is unknown; or that the producer did not say', async () => {
    const page = await world.tab();
    const origin = {
      rule: 'v1',
      sources: ['dexscreener:boosts', 'geckoterminal:trending'],
      observed_at: new Date().toISOString(),
      figures: { volume_1h: 14_250, buys_1h: 180, sells_1h: 95, buyers_1h: 152, change_1h: 38.5 },
      risks: { top10_share: 0.24, mintable: false, freezable: true, honeypot: null },
      unknown: ['dex_paid'],
    };
    const { body } = await world.system.ingest('POST', '', { ...newSignal('wallet'), origin });
    const { id } = body.data as { id: string };
    await page.goto(`/signals/${id}`);
    const why = page.getByRole('region', { name: 'Why this signal' });
    await why.getByText('DexScreener boosts').waitFor();
    const text = await textOf(why);
    expect(text).toMatch(/At least 100 different wallets bought in the last hour/);
    expect(text).toMatch(/GeckoTerminal trending/);
    expect(text).toMatch(
      /Volume\s+\$14,250.00\s+Trades\s+275\s+at least 30\s+Buys\s+180\s+Sells\s+95 \(35%\)/,
    );
    expect(text).toMatch(/Wallets that bought\s+152 \(84%\)\s+Price\s+\+38.5%/);
    expect(text).toMatch(/holders\s+24%\s+More can be minted\s+No\s+.+\s+Yes\s+Honeypot.+\s+Unknown/);
    expect(text).toMatch(/No source knew: whether a DEX listing was paid/);
    expect(await problemsOf(page, 'why')).toEqual([]);
    await why.getByRole('link', { name: 'Wallet by the rules v1' }).click();
    await heading(page, 'How figures are defined').waitFor();
    expect(page.url()).toMatch(/#type-wallet$/);

    await page.goto(`/signals/${await makeSignal()}`);
    await why.getByText('The producer of this signal did not say').waitFor();
  });

  it('says under which numbers the public log has it and its outcome, and verifies that in the browser', async () => {
    const page = await world.tab();
    const id = await makeSignal();
    await patch(id, winner);
    await eventually(async () => {
      const { body } = await world.system.api(`/v1/signals/${id}/proof`);
      expect((body.data as { entries: unknown[] } | undefined)?.entries).toHaveLength(2);
    });
    await page.goto(`/signals/${id}`);
    const log = page.getByRole('region', { name: 'Public log' });
    await log
      .getByText(/^Verified in this browser/)
      .first()
      .click();
    expect(await textOf(log)).toMatch(/Published as entry \d+, decided \(winner\) as entry \d+ of /);
    expect(await problemsOf(page, 'log')).toEqual([]);
  });

  it('charts the history of the signal, with its entry, its highest market cap and its outcome in words, and the figures in a table', async () => {
    const page = await world.tab();
    const id = await makeSignal();
    await patch(id, { metrics: { mcap_current: 280_000, liquidity: 31_000 } });
    await patch(id, winner);
    await untilHistory(id, 1);
    await page.goto(`/signals/${id}`);
    const history = page.getByRole('region', { name: 'History', exact: true });
    await history.scrollIntoViewIfNeeded();
    await history.locator('svg circle').first().waitFor();
    const marks = await history.getByRole('listitem').allInnerTexts();
    expect(marks).toEqual([
      expect.stringMatching(/^Entry: \$100K, /),
      expect.stringMatching(/^Peak: \$350K, /),
      expect.stringMatching(/^Winner: .+, set by producer$/),
    ]);
    await history.getByText(/in figures$/).click();
    const rows = history.getByRole('table', { name: 'History' }).locator('tbody tr');
    expect((await textOf(rows.first())).replace(/\s+/g, ' ')).toMatch(/\$350K \$31.0K/);

    const asked = page.waitForRequest((request) => /\/history\?from=/.test(request.url()));
    await history.getByText('24h', { exact: true }).click();
    await asked;
    await rows.first().waitFor();

    // Without an event of the stream, the page would ask again only after minutes.
    await page.getByText('Live', { exact: true }).waitFor();
    await patch(id, { status: 'rugged' });
    await history.getByText(/^Rugged: /).waitFor();
  });

  it('says that there is no history yet, or why it could not be loaded, with a button that retries only that', async () => {
    const page = await world.tab();
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
    await history.getByText(/in figures$/).waitFor();

    // A signal from before histories were kept.
    await page.route(`**/v1/signals/${id}/history*`, (route) =>
      route.fulfill({ status: 404, json: refusal('NOT_FOUND', 'There is no history') }),
    );
    await page.route(`**/v1/signals/${id}`, async (route) => {
      const response = await route.fetch();
      const given = (await response.json()) as { data: object };
      const json = { ...given, data: { ...given.data, created_at: '2026-01-01T12:00:00.000Z' } };
      await route.fulfill({ response, json });
    });
    await page.reload();
    await history.scrollIntoViewIfNeeded();
    await history.getByText('No history was recorded for this signal').waitFor();
  });

  it('copies the JSON that the API answers, and links to explorers of the chains that the contract can be on, without telling them of the page', async () => {
    const page = await world.tab();
    const id = await makeSignal();
    await page.goto(`/signals/${id}`);
    await copyUntil(
      () => page.getByRole('button', { name: 'Copy JSON' }).click(),
      page.getByRole('button', { name: 'Copied' }),
    );
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    const { body } = await world.system.api(`/v1/signals/${id}`);
    expect(JSON.parse(copied)).toEqual(body.data);
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
  });

  it('loads the deliveries of five webhooks, and those of the others on request', async () => {
    const paths = Array.from({ length: 7 }, (_, at) => `/many/${at}`);
    const page = await holderWith(paths);
    const id = await makeSignal();
    // The page asks only once for the deliveries of a webhook that has none.
    await eventually(() => expect(paths.filter((path) => received(path).length > 0)).toEqual(paths));
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
  });

  it('says what is empty and what could not be loaded, with a button that retries only that', async () => {
    const nobody = await world.tab();
    const id = await makeSignal();
    await nobody.goto(`/signals/${id}`);
    await nobody.getByRole('region', { name: 'Deliveries' }).scrollIntoViewIfNeeded();
    await nobody.getByText('No webhooks yet').waitFor();

    const page = await holderWith(['/good', '/bad']);
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
  });
});
