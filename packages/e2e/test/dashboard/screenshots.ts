/**
 * Takes a picture of every page, light and dark, at four widths, into packages/e2e/.screenshots.
 * Usage: node packages/e2e/test/dashboard/screenshots.ts [pattern of names]
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackingServices } from '@sigcast/local';
import { startReceiver } from '@sigcast/testing';
import type { Page } from 'playwright-core';
import { dashboardWorld, heading } from './browser.ts';
import { createKey, liftLimits, signIn, signUp } from './people.ts';
import { makeSignals } from './signals.ts';

const dir = join(import.meta.dirname, '..', '..', '.screenshots');
const only = new RegExp(process.argv[2] ?? '');

const looks = [
  { name: 'wide-light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'wide-dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'medium-light', colorScheme: 'light', viewport: { width: 1024, height: 768 } },
  { name: 'medium-dark', colorScheme: 'dark', viewport: { width: 1024, height: 768 } },
  { name: 'tablet-light', colorScheme: 'light', viewport: { width: 768, height: 1024 } },
  { name: 'tablet-dark', colorScheme: 'dark', viewport: { width: 768, height: 1024 } },
  { name: 'narrow-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

await using backing = await startBackingServices({
  dataDir: join(tmpdir(), `sigcast-screenshots-${process.pid}`),
  env: process.env,
  report: (line) => process.stderr.write(`${line}\n`),
  ephemeral: true,
});
Object.assign(process.env, {
  MONGODB_URI: backing.mongodbUri,
  REDIS_URL: backing.redisUrl,
  AMQP_URL: backing.amqpUrl,
});
await using world = await dashboardWorld({ WEBHOOK_RETRY_DELAYS_MS: '300,400,500' });
await using receiver = await startReceiver();
const { system } = world;
mkdirSync(dir, { recursive: true });

const holder = await world.visitor();
const person = await signUp(holder.page);
await liftLimits(system, person);
await makeSignals(system, 64, { newest: 5 });
const token = await createKey(holder.page, 'Trading bot');
await createKey(holder.page, 'Staging, for the people who try things out first');
const call = async (path: string, body: unknown) => {
  const answer = await fetch(system.gatewayUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return ((await answer.json()) as { data: { id: string } }).data;
};
receiver.script('/flaky', 500, 'drop', 200);
const events = ['signal.new', 'signal.winner'];
const hook = await call('/v1/webhooks', { url: `${receiver.url}/flaky`, events, description: 'Alerts' });
receiver.script('/failing', 200, ...Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? 502 : 500)));
const failing = await call('/v1/webhooks', { url: `${receiver.url}/failing`, events });
receiver.script('/hanging', ...Array.from({ length: 60 }, () => 'hang' as const));
const hanging = await call('/v1/webhooks', { url: `${receiver.url}/hanging`, events });
const refused = await call('/v1/webhooks', {
  url: 'http://127.0.0.1:1/',
  events,
  description: 'Not started',
});
await call('/v1/webhooks', { url: `${receiver.url}/long/${'path/'.repeat(12)}`, events });
await makeSignals(system, 5);
for (let at = 0; at < 40; at += 1) {
  await fetch(`${system.gatewayUrl}/v1/signals?limit=${at % 3 === 0 ? 0 : 5}`, {
    headers: { authorization: `Bearer ${token}` },
  });
}
const { data: signals } = (await system.api('/v1/signals?limit=3')).body as unknown as {
  data: { id: string }[];
};

const pages: Record<string, string> = {
  'getting-started': '/getting-started',
  signals: '/signals',
  'signals-none': '/signals?type=premium&status=rugged',
  'signals-sorted': '/signals?sort=-roi&type=new,wallet',
  'signals-not-found': '/signals?symbol=nothing',
  signal: `/signals/${signals[1]?.id}`,
  'signal-not-found': '/signals/sig_00000000000000000000000000',
  webhooks: '/webhooks',
  webhook: `/webhooks/${hook.id}`,
  'webhook-failing': `/webhooks/${failing.id}`,
  'webhook-hanging': `/webhooks/${hanging.id}`,
  'webhook-refused': `/webhooks/${refused.id}`,
  'webhook-filtered': `/webhooks/${failing.id}?status=delivered&http_status=500`,
  usage: '/usage',
  profile: '/profile',
  'api-settings': '/profile/api',
  definitions: '/definitions#win-rate',
};

const beginner = await world.visitor();
const stuck = await signUp(beginner.page);
await beginner.page.getByRole('button', { name: 'Add webhook' }).click();
await beginner.page.getByLabel('Address').fill('http://127.0.0.1:1/');
await beginner.page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
await beginner.page.getByRole('button', { name: 'I have stored it' }).click();
await beginner.page.getByRole('button', { name: 'Send test' }).click();
await beginner.page.getByText('1 attempt failed').waitFor();

const office = await world.visitor();
const operator = await signUp(office.page);
await system.operator('operators', 'add', operator.email);
await system.operator('account', 'suspend', stuck.account);
await system.operator('account', 'resume', stuck.account);
await system.operator('account', 'plan', stuck.account, 'unlimited');
const operatorPages: Record<string, string> = {
  'operator-accounts': '/operator',
  'operator-none': '/operator?q=nobody',
  'operator-account': `/operator/accounts/${person.account}`,
  'operator-webhooks': '/operator/webhooks',
  'operator-system': '/operator/system',
  'operator-log': '/operator/log',
};

/** What is answered when the dashboard's limit of a minute is used up. */
const refusal = {
  success: false,
  error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Over the limit; try again in 42 s', retry_after: 42 },
};

for (const { name, ...look } of looks) {
  const visitor = await world.visitor(look);
  await picture(visitor.page, `sign-up.${name}`, '/sign-up');
  await picture(visitor.page, `sign-in.${name}`, '/sign-in');
  await visitor.page.goto('/sign-in');
  await signIn(visitor.page, person);
  await heading(visitor.page, 'Signals').waitFor();
  for (const [page, path] of Object.entries(pages)) await picture(visitor.page, `${page}.${name}`, path);
  if (only.test(`signal-deliveries.${name}`)) {
    await visitor.page.goto(pages.signal ?? '/signals');
    const sent = visitor.page.getByRole('region', { name: 'Deliveries' });
    await sent.scrollIntoViewIfNeeded();
    await sent.getByRole('table').waitFor();
    await picture(visitor.page, `signal-deliveries.${name}`);
  }
  for (const [kind, { id }] of Object.entries({ flaky: hook, failing, hanging, refused })) {
    if (!only.test(`delivery-${kind}.${name}`)) continue;
    await visitor.page.goto(`/webhooks/${id}`);
    await visitor.page.getByRole('table', { name: 'Deliveries' }).getByRole('link').last().click();
    const panel = visitor.page.getByRole('dialog');
    await panel
      .getByRole('region', { name: /^Attempt \d/ })
      .first()
      .waitFor();
    await picture(visitor.page, `delivery-${kind}.${name}`);
    await panel.getByRole('region', { name: 'Request body' }).scrollIntoViewIfNeeded();
    await picture(visitor.page, `delivery-${kind}-end.${name}`);
  }
  await visitor.page.goto('/webhooks');
  await visitor.page.getByRole('button', { name: 'Add webhook' }).first().click();
  await picture(visitor.page, `webhook-form.${name}`);
  await visitor.page.goto('/webhooks');
  const flaky = visitor.page.getByRole('link', { name: /flaky/ }).first();
  await flaky.waitFor();
  await visitor.page.route('**/v1/**', (route) => route.fulfill({ status: 429, json: refusal }));
  await flaky.click();
  await visitor.page.getByText('Too many requests.').waitFor();
  await picture(visitor.page, `limited.${name}`);
  await visitor.page.unroute('**/v1/**');
  const begin = await world.visitor(look);
  await begin.page.goto('/sign-in?to=/getting-started');
  await signIn(begin.page, stuck);
  await begin.page.getByText('1 attempt failed').waitFor();
  await picture(begin.page, `getting-started-failing.${name}`);
  await begin.context.close();
  const run = await world.visitor(look);
  await run.page.goto('/sign-in?to=/operator');
  await signIn(run.page, operator);
  await heading(run.page, 'Operator').waitFor();
  for (const [page, path] of Object.entries(operatorPages)) await picture(run.page, `${page}.${name}`, path);
  await run.context.close();
  if (visitor.complaints.length > 0) process.stderr.write(`${name}: ${visitor.complaints.join('\n')}\n`);
  await visitor.context.close();
}

async function picture(page: Page, name: string, path?: string): Promise<void> {
  if (!only.test(name)) return;
  if (path !== undefined) await page.goto(path);
  await page.getByRole('heading').first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 4_000 }).catch(() => undefined);
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(dir, `${name}.png`), fullPage: true });
}
