import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, fixture } from './fixture.ts';
import { testSealer } from './test-sealer.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterAll(() => f[Symbol.asyncDispose]());

const valid = { url: 'http://127.0.0.1:9000/hook', events: ['signal.new'], types: ['new'], description: 'x' };
type Data = Record<string, unknown> & { id: string; secret: string };
type Body = { data: Data; error: { code: string; message: string; details: { field: string }[] } };

/** A subscription of an account of its own, and requests about it. */
async function own() {
  const { id, secret, account, ask } = await f.subscribe('/hook', { ...valid, proven: false });
  const patch = (body: object) => ask('patch').send(body);
  const post = (action: string) => ask('post', action);
  const get = async () => ((await ask('get').expect(200)).body as Body).data;
  return { account, id, secret, path: `/v1/webhooks/${id}`, patch, post, get };
}

it.each([
  ['url', 'http://127.0.0.1:9001/other'],
  ['events', ['signal.dead', 'signal.rugged']],
  ['types', ['wallet']],
  ['description', 'y'],
  ['description', null],
])('changing a subscription sets %s to %j and leaves everything else', async (field, value) => {
  const { patch, get } = await own();
  const before = await get();
  const { data } = (await patch({ [field]: value }).expect(200)).body as Body;
  const { updated_at: changedAt, ...after } = data;
  const { updated_at: madeAt, ...rest } = before;
  expect(after).toEqual({ ...rest, [field]: value });
  expect(Date.parse(String(changedAt))).toBeGreaterThanOrEqual(Date.parse(String(madeAt)));
  expect(await get()).toEqual(data);
});

it('changing a subscription leaves everything as it is when nothing is named', async () => {
  const { patch, get } = await own();
  const before = await get();
  expect(((await patch({}).expect(200)).body as Body).data).toEqual(before);
});

it('changing different members of a subscription at once applies all changes', async () => {
  const { patch, get } = await own();
  await Promise.all([
    patch({ description: 'z' }).expect(200),
    patch({ types: ['30d'] }).expect(200),
    patch({ events: ['signal.dead'] }).expect(200),
    patch({ status: 'disabled' }).expect(200),
  ]);
  expect(await get()).toMatchObject({
    description: 'z',
    types: ['30d'],
    events: ['signal.dead'],
    status: 'disabled',
  });
});

it('changing a subscription pauses and resumes visibly; pausing twice keeps the first time', async () => {
  const { patch, get } = await own();
  expect(await get()).toMatchObject({ status: 'enabled', disabled_reason: null, disabled_at: null });
  await patch({ status: 'disabled' }).expect(200);
  const paused = await get();
  expect(paused).toMatchObject({ status: 'disabled', disabled_reason: 'paused' });
  await patch({ status: 'disabled', description: 'again' }).expect(200);
  expect(await get()).toMatchObject({ disabled_reason: 'paused', disabled_at: paused.disabled_at });
  await patch({ status: 'enabled' }).expect(200);
  expect(await get()).toMatchObject({ status: 'enabled', disabled_reason: null, disabled_at: null });
});

it.each([
  ['url', { url: 'http://10.0.0.1/' }],
  ['url', { url: null }],
  ['events', { events: [] }],
  ['events.0', { events: ['webhook.test'] }],
  ['types', { types: [] }],
  ['types', { types: null }],
  ['status', { status: 'paused' }],
  ['secret', { secret: 'whsec_mine' }],
  ['disabled_reason', { disabled_reason: null }],
])(
  'changing a subscription refuses a bad %s with 400 and its name, and changes nothing',
  async (field, body) => {
    const { patch, get } = await own();
    const before = await get();
    const answer = await patch({ description: 'changed', ...body }).expect(400);
    expect((answer.body as Body).error.details.map((detail) => detail.field)).toContain(field);
    expect(await get()).toEqual(before);
  },
);

it('changing a subscription needs a body, in JSON', async () => {
  const { account, path } = await own();
  await f.as(account, 'patch', path).expect(400);
  await f.as(account, 'patch', path).type('text/plain').send('x').expect(415);
});

it('rotating a secret shows the new one once, and until when the old one signs', async () => {
  const { secret, post, get } = await own();
  const { data } = (await post('rotate-secret').expect(200)).body as Body;
  expect(data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(data.secret).not.toBe(secret);
  const left = Date.parse(String(data.previous_secret_expires_at)) - Date.parse(String(data.updated_at));
  expect(left).toBe(24 * 3_600_000);
  const shown = await get();
  expect(shown.previous_secret_expires_at).toBe(data.previous_secret_expires_at);
  expect(JSON.stringify(shown)).not.toContain('whsec_');
});

it('concurrent rotations of a secret each make their own, and all of them sign; a fifth within the day is 409', async () => {
  const { id, secret, post } = await own();
  const answers = await Promise.all(Array.from({ length: 4 }, () => post('rotate-secret')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const given = answers.map(({ body }) => (body as Body).data.secret);
  const stored = await f.collections.subscriptions.findById(id).lean();
  const all = [stored, ...(stored?.retired_secrets ?? [])].map((one) =>
    testSealer.open(one?.secret ?? '', id),
  );
  expect(all.sort()).toEqual([secret, ...given].sort());
  const refused = await post('rotate-secret').expect(409);
  expect((refused.body as Body).error.message).toMatch(/4 replaced secrets still sign/);
});

it.each([
  ['patch', '', { description: 'x' }],
  ['post', '/rotate-secret', undefined],
  ['post', '/test', undefined],
  ['post', '/recover', { since: new Date().toISOString() }],
  ['get', '/deliveries', undefined],
  ['get', '/deliveries/evt_1.wh_1', undefined],
  ['post', '/deliveries/evt_1.wh_1/retry', undefined],
] as const)(
  'what belongs to another account is 404 for %s %s, and stays as it is',
  async (method, action, body) => {
    const { path, get } = await own();
    const before = await get();
    const answer = await f.as('acct_other', method, `${path}${action}`).send(body).expect(404);
    expect((answer.body as Body).error.code).toBe('NOT_FOUND');
    await f.as('acct_other', method, `/v1/webhooks/wh_none${action}`).send(body).expect(404);
    expect(await get()).toEqual(before);
  },
);

it('a test of a webhook is a delivery of this subscription alone, and one in ten seconds', async () => {
  const { id, account, path, post } = await own();
  const answers = await Promise.all(Array.from({ length: 5 }, () => post('test')));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  for (const { body, headers } of answers.filter(({ status }) => status === 409)) {
    const { retry_after } = (body as { error: { retry_after: number } }).error;
    expect(headers['retry-after']).toBe(String(retry_after));
    expect([retry_after > 0, retry_after <= 10]).toEqual([true, true]);
  }
  const list = await f.as(account, 'get', `${path}/deliveries?event=webhook.test`).expect(200);
  expect((list.body as { data: object[] }).data).toEqual([
    expect.objectContaining({ event: 'webhook.test', signal_id: null, status: 'pending' }),
  ]);
  expect(await f.collections.deliveries.countDocuments({ event: 'webhook.test', account })).toBe(1);
  expect(await f.collections.events.collection.countDocuments({ type: 'webhook.test' })).toBe(0);
  await f.collections.subscriptions.updateOne(
    { _id: id },
    { $set: { tested_at: new Date(Date.now() - 10_000) } },
  );
  await post('test').expect(201);
});
