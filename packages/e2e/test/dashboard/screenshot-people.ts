import type { Receiver } from '@sigcast/testing';
import type { DashboardWorld } from './browser.ts';
import { createKey, liftLimits, type Person, signUp } from './people.ts';
import { makeSignals } from './signals.ts';

/** The people who look at the pages, and what the pages show. */
export type Cast = {
  /** Has keys, signals and webhooks in every state of health. */
  readonly holder: Person;
  /** Has made a webhook whose receiver does not run. */
  readonly beginner: Person;
  /** Has made nothing yet. */
  readonly newcomer: Person;
  readonly operator: Person;
  readonly webhooks: Readonly<Record<'flaky' | 'failing' | 'hanging' | 'refused' | 'paused', string>>;
  /** A signal with deliveries to every webhook. */
  readonly signal: string;
  /** A completed backtest without trades, because the signals are too young. */
  readonly backtest: string;
};

/** Fills an empty system with accounts, signals and webhooks. */
export async function makeCast(world: DashboardWorld, receiver: Receiver): Promise<Cast> {
  const { system } = world;
  const desk = await world.visitor();
  const holder = await signUp(desk.page);
  await liftLimits(system, holder);
  await makeSignals(system, 64, { newest: 5 });
  const token = await createKey(desk.page, 'Trading bot');
  await createKey(desk.page, 'Staging, for the people who try things out first');
  await createKey(desk.page, 'Old laptop');
  await desk.page.getByRole('button', { name: 'Rotate Old laptop' }).click();
  await desk.page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
  await desk.page.getByRole('button', { name: 'I have stored it' }).click();

  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(system.gatewayUrl + path, { method, headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  const events = ['signal.new', 'signal.winner'];
  const add = (url: string, description?: string) =>
    call('POST', '/v1/webhooks', { url, events, ...(description !== undefined && { description }) });
  receiver.script('/flaky', 500, 'drop', 200);
  receiver.script('/failing', 200, ...Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? 502 : 500)));
  receiver.script('/hanging', ...Array.from({ length: 60 }, () => 'hang' as const));
  const webhooks = {
    flaky: await add(`${receiver.url}/flaky`, 'Alerts'),
    failing: await add(`${receiver.url}/failing`),
    hanging: await add(`${receiver.url}/hanging`),
    refused: await add('http://127.0.0.1:8443/', 'Not started'),
    paused: await add(`${receiver.url}/long/${'path/'.repeat(12)}`),
  };
  await makeSignals(system, 5);
  const backtest = await call('POST', '/v1/backtests', {
    filters: { since: new Date(Date.now() - 30 * 86_400_000).toISOString(), types: ['new', 'wallet'] },
    target: 3,
  });
  await call('PATCH', `/v1/webhooks/${webhooks.paused}`, { status: 'disabled' });
  for (let at = 0; at < 40; at += 1) {
    await fetch(`${system.gatewayUrl}/v1/signals?limit=${at % 3 === 0 ? 0 : 5}`, { headers });
  }
  const { data: signals } = (await system.api('/v1/signals?limit=3')).body as unknown as {
    data: { id: string }[];
  };
  await desk.context.close();

  return {
    holder,
    beginner: await makeBeginner(world),
    newcomer: await makePerson(world),
    operator: await makeOperator(world, holder),
    webhooks,
    signal: signals[1]?.id ?? '',
    backtest,
  };
}

async function makePerson(world: DashboardWorld): Promise<Person> {
  const { page, context } = await world.visitor();
  const person = await signUp(page);
  await liftLimits(world.system, person);
  await context.close();
  return person;
}

async function makeBeginner(world: DashboardWorld): Promise<Person> {
  const { page, context } = await world.visitor();
  const person = await signUp(page);
  await liftLimits(world.system, person);
  // A step that is not the next one is folded.
  await page.getByText('Receive webhooks', { exact: true }).click();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByLabel('Address').fill('http://127.0.0.1:8443/');
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('1 attempt failed').waitFor();
  await context.close();
  return person;
}

async function makeOperator(world: DashboardWorld, { account }: Person): Promise<Person> {
  const person = await makePerson(world);
  await world.system.operator('operators', 'add', person.account);
  await world.system.operator('account', 'suspend', account);
  await world.system.operator('account', 'resume', account);
  return person;
}
