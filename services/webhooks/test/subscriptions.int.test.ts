import { askApp } from '@sigcast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, fixture } from './fixture.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

const valid = { url: 'http://127.0.0.1:9000/hook', events: ['signal.new'] };
type Body = {
  data: { id: string; secret?: string; types: string[] };
  error: { details: { field: string }[] };
};

it('subscriptions show their secret when made and never again', async () => {
  const made = await f.as('acct_a', 'post', '/v1/webhooks').send(valid).expect(201);
  const { id, secret, types } = (made.body as Body).data;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(types).toHaveLength(6);
  const one = await f.as('acct_a', 'get', `/v1/webhooks/${id}`).expect(200);
  expect((one.body as Body).data).not.toHaveProperty('secret');
  const all = await f.as('acct_a', 'get', '/v1/webhooks').expect(200);
  expect(JSON.stringify(all.body)).not.toContain('whsec_');
});

it('another account gets 404 for reading and deleting a subscription and for reading its log', async () => {
  const made = await f.as('acct_b', 'post', '/v1/webhooks').send(valid).expect(201);
  const path = `/v1/webhooks/${(made.body as Body).data.id}`;
  await f.as('acct_other', 'get', path).expect(404);
  await f.as('acct_other', 'delete', path).expect(404);
  await f.as('acct_other', 'get', `${path}/deliveries`).expect(404);
  await f.as('acct_b', 'delete', path).expect(200);
  await f.as('acct_b', 'get', path).expect(404);
});

it.each([
  ['url', { ...valid, url: 'http://10.0.0.1/' }],
  ['url', { ...valid, url: 'http:///127.0.0.1:9000/hook' }],
  ['url', { ...valid, url: 'http://receiver..test/' }],
  ['url', { events: ['signal.new'] }],
  ['events', { url: valid.url }],
  ['events', { ...valid, events: [] }],
  ['events.0', { ...valid, events: ['signal.updated'] }],
  ['events', { ...valid, events: ['signal.new', 'signal.new'] }],
  ['types', { ...valid, types: [] }],
  ['types.0', { ...valid, types: ['gold'] }],
  ['colour', { ...valid, colour: 'red' }],
])('subscriptions refuse a bad %s with 400 and its name', async (field, body) => {
  const answer = await f.as('acct_c', 'post', '/v1/webhooks').send(body).expect(400);
  expect((answer.body as Body).error.details.map((detail) => detail.field)).toContain(field);
});

it('subscriptions keep their address as it was written, its scheme in any case', async () => {
  const url = 'HTTP://Receiver.test:9000/hook';
  const made = await f
    .as('acct_written', 'post', '/v1/webhooks')
    .send({ ...valid, url })
    .expect(201);
  expect(made.body).toMatchObject({ data: { url } });
});

it('a subscription is made and changed with a warning that names its url while the host name does not resolve', async () => {
  const nowhere = { ...valid, url: 'https://nowhere.sigcast.io/hook' };
  const warnings = [{ field: 'url', message: 'The host name does not exist (ENOTFOUND)' }];
  const made = await f.as('acct_warned', 'post', '/v1/webhooks').send(nowhere).expect(201);
  expect(made.body).toMatchObject({ data: { url: nowhere.url, warnings } });
  const change = async (body: object) => {
    const path = `/v1/webhooks/${(made.body as Body).data.id}`;
    return ((await f.as('acct_warned', 'patch', path).send(body).expect(200)).body as Body).data;
  };
  expect(await change({ url: valid.url })).not.toHaveProperty('warnings');
  expect(await change({ url: nowhere.url })).toMatchObject({ warnings });
  expect(await change({ description: 'x' })).not.toHaveProperty('warnings');
});

it('an account has at most as many subscriptions as the gateway says of its plan, however many ask at once', async () => {
  const asked = await Promise.all(
    Array.from({ length: 30 }, () => f.as('acct_d', 'post', '/v1/webhooks').send(valid)),
  );
  const statuses = asked.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(20);
  expect(statuses.filter((status) => status === 409)).toHaveLength(10);
  await f.as('acct_e', 'post', '/v1/webhooks').send(valid).expect(201);
  const onAnother = (webhooks: number) => f.as('acct_d', 'post', '/v1/webhooks', { webhooks }).send(valid);
  const refused = await onAnother(1).expect(409);
  expect(refused.body).toMatchObject({
    error: { message: 'The quota of your plan for webhooks is used up: 1' },
  });
  await onAnother(21).expect(201);
  // The first slot is free, and the account has more than its new plan allows.
  const { _id } = (await f.collections.subscriptions.findOne({ account: 'acct_d', slot: 0 }).lean()) ?? {};
  await f.as('acct_d', 'delete', `/v1/webhooks/${_id}`).expect(200);
  await onAnother(20).expect(409);
});

it('subscriptions are made once per idempotency key, also by concurrent requests; a key with another body is 409', async () => {
  const ask = (body: object) =>
    f.as('acct_f', 'post', '/v1/webhooks').set('Idempotency-Key', 'k1').send(body);
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(valid)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  await ask({ ...valid, events: ['signal.dead'] }).expect(409);
});

it('a subscription is refused without an identity from the gateway, and with a body that is not JSON', async () => {
  await askApp(f.app).get('/v1/webhooks').expect(401);
  await f.as('acct_g', 'post', '/v1/webhooks').type('text/plain').send('x').expect(415);
});
