import { successSchema, systemReadScope, type WebhooksState, webhooksStateSchema } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { newId } from '@sigcast/runtime';
import { askApp } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { mongoAccountStates } from '../src/store/account-states.ts';
import { newDelivery } from '../src/store/new-deliveries.ts';
import { readSystemState } from '../src/store/system-state.ts';
import { type Fixture, fixture } from './fixture.ts';
import { rowsOfFinds } from './rows-of-finds.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
beforeEach(async () => {
  const { subscriptions, deliveries, workers } = f.collections;
  await Promise.all([subscriptions.deleteMany(), deliveries.deleteMany(), workers.deleteMany()]);
});
afterAll(() => f[Symbol.asyncDispose]());

function ask(scopes: readonly string[]) {
  const token = identitySigner(
    'gateway',
    f.identityKey,
    'webhooks',
  )({ subject: 'acct_op', scopes, ttlS: 60 });
  return askApp(f.app, { 'GET /internal/v1/state': successSchema(webhooksStateSchema) })
    .get('/internal/v1/state')
    .set('authorization', `Bearer ${token}`);
}

async function state(): Promise<WebhooksState> {
  const answer = await ask([systemReadScope]).expect(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  return webhooksStateSchema.parse((answer.body as { data: unknown }).data);
}

/** An instant so many milliseconds ago. */
const ago = (ms: number) => new Date(Date.now() - ms);

const idsOf = ({ failing }: WebhooksState) => failing.map(({ id }) => id);

/** How many rows each find of subscriptions reads for the state. */
const readsOfState = () =>
  rowsOfFinds(f, ['subscriptions'], (collections) => readSystemState(collections, Date.now));

it('the state for operators has what waits, and the subscriptions that fail or were disabled for it: longest first, without path, query or secret', async () => {
  const { subscriptions, deliveries } = f.collections;
  const url = 'https://hooks.example.test/secret-path?token=secret-query';
  const [fine, shortly, longer, paused, gone, exhausted] = await Promise.all(
    Array.from({ length: 6 }, async () => (await f.subscribe('/')).id),
  );
  const set = (id = '', fields: object = {}) =>
    subscriptions.updateOne(
      { _id: id },
      { $set: { url, due_at: new Date(Date.now() + 3_600_000), ...fields } },
    );
  await set(fine, { failing_since: null });
  await set(shortly, { failing_since: ago(1_000) });
  await set(longer, { failing_since: ago(60_000) });
  const disabled = (reason: string, at: Date) => ({ status: 'disabled', disabled: { reason, at } });
  await set(paused, disabled('paused', ago(0)));
  await set(gone, disabled('gone', ago(500)));
  await set(exhausted, disabled('failing', ago(5_000)));
  const event = { id: newId('evt'), type: 'signal.new', signalId: newId('sig') } as const;
  await deliveries.insertMany([newDelivery(event, { id: fine ?? '', account: 'acct' }, new Date())]);

  const { deliveries: waiting, failing } = await state();
  expect(waiting).toEqual({ pending: 1, oldest_untaken_s: 0 });
  expect(failing.map(({ id }) => id)).toEqual([longer, shortly, gone, exhausted]);
  expect(failing[0]).toEqual({
    id: longer,
    account: expect.any(String),
    host: 'hooks.example.test',
    failing_since: expect.any(String),
    disabled: null,
  });
  expect(failing[2]).toMatchObject({ failing_since: null, disabled: { reason: 'gone' } });
  const text = JSON.stringify(await state());
  for (const secret of ['secret-path', 'secret-query', 'whsec_']) expect(text).not.toContain(secret);

  await set(fine, { due_at: new Date(Date.now() - 30_000) });
  expect((await state()).deliveries.oldest_untaken_s).toBeGreaterThanOrEqual(30);
});

it('the state for operators counts what is due in a lane marked at once as overdue while no worker lives, and not while one does or the account is suspended', async () => {
  const { subscriptions, deliveries, workers } = f.collections;
  const { id } = await f.subscribe('/');
  const event = { id: newId('evt'), type: 'signal.new', signalId: newId('sig') } as const;
  await deliveries.insertMany([newDelivery(event, { id, account: 'acct' }, ago(3_600_000))]);
  expect((await state()).deliveries.oldest_untaken_s).toBeGreaterThanOrEqual(3_600);

  await workers.create({ _id: 'wrk_1', until: ago(-60_000), seen_at: ago(0) });
  expect((await state()).deliveries).toEqual({ pending: 1, oldest_untaken_s: 0 });
  await workers.updateOne({ _id: 'wrk_1' }, { $set: { until: ago(1) } });
  expect((await state()).deliveries.oldest_untaken_s).toBeGreaterThanOrEqual(3_600);

  const { account = '' } = (await subscriptions.findById(id).lean()) ?? {};
  await mongoAccountStates(f.collections).apply({
    account,
    rev: 2,
    status: 'suspended',
    unverified: false,
    accessRevokedAt: null,
  });
  for (const due_at of [new Date(0), ago(3_600_000)]) {
    await subscriptions.updateOne({ _id: id }, { $set: { due_at } });
    expect((await state()).deliveries).toEqual({ pending: 1, oldest_untaken_s: 0 });
  }
});

it('the state for operators leaves out subscriptions that failed until their owner paused them or their account was suspended', async () => {
  const { subscriptions } = f.collections;
  const made = await Promise.all(Array.from({ length: 3 }, async () => (await f.subscribe('/')).id));
  await subscriptions.updateMany({}, { $set: { failing_since: ago(60_000) } });
  expect(idsOf(await state()).sort()).toEqual(made.toSorted());

  const [paused = '', suspended, failing] = made;
  const accountOf = async (id: string | undefined) =>
    (await subscriptions.findById(id).lean())?.account ?? '';
  await f
    .as(await accountOf(paused), 'patch', `/v1/webhooks/${paused}`)
    .send({ status: 'disabled' })
    .expect(200);
  const account = await accountOf(suspended);
  await mongoAccountStates(f.collections).apply({
    account,
    rev: 2,
    status: 'suspended',
    unverified: false,
    accessRevokedAt: null,
  });
  expect(idsOf(await state())).toEqual([failing]);
});

it('the state for operators reads none of the subscriptions that their owners paused, however many there are', async () => {
  const { id } = await f.subscribe('/');
  const { _id, ...one } = (await f.collections.subscriptions.findById(id).lean()) ?? {};
  const paused = (n: number) => ({
    status: 'disabled',
    disabled: { reason: 'paused', at: ago(n) },
    failing_since: ago(1_000_000 + n),
  });
  const disabled = (reason: 'failing' | 'gone') => (n: number) => ({
    status: 'disabled',
    disabled: { reason, at: ago(1_000 * n + (reason === 'gone' ? 500 : 0)) },
  });
  const failing = (n: number) => ({ failing_since: ago(1_000 * n) });
  const kinds = [
    { count: 2_000, of: paused },
    { count: 150, of: failing },
    { count: 150, of: disabled('failing') },
    { count: 150, of: disabled('gone') },
  ];
  const documents = kinds.flatMap(({ count, of }, kind) =>
    Array.from({ length: count }, (_, n) => ({
      ...one,
      _id: `wh_${kind}_${n}`,
      account: `acct_${kind}_${n}`,
      due_at: ago(-3_600_000),
      ...of(n),
    })),
  );
  await f.collections.subscriptions.deleteMany();
  await f.collections.subscriptions.collection.insertMany(documents as never);

  const listed = idsOf(await state());
  const [gone, last] = [listed.slice(100).filter((each) => each.startsWith('wh_3_')), listed.at(-1)];
  expect({ all: listed.length, gone: gone.length, first: listed[0], last }).toEqual({
    all: 200,
    gone: 50,
    first: 'wh_1_149',
    last: 'wh_3_49',
  });
  // 150 subscriptions fail, and 150 were disabled for each reason.
  expect(Math.max(...(await readsOfState()))).toBeLessThanOrEqual(150);
});

it('the state for operators is answered to no account and to nobody without a token', async () => {
  await ask([]).expect(403);
  await askApp(f.app).get('/internal/v1/state').expect(401);
  await f.as('acct_1', 'get', '/internal/v1/state').expect(401);
});
