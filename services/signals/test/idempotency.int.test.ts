import { idempotencyLifeMs } from '@sigcast/contracts';
import { expireKeys } from '@sigcast/mongo';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signalsCollection } from '../src/store/signal-document.ts';
import {
  detailOf,
  openModel,
  openService,
  openStack,
  refusedFields,
  type Service,
  testIdentities,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

const hourMs = 3_600_000;

describe('Idempotency-Key', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let clockMs = Date.parse('2026-03-01T12:00:00Z');
  let service: Service;
  beforeAll(async () => {
    const now = () => new Date(clockMs);
    service = openService({ model: await openModel(stack, resources), identities, now });
  });
  afterAll(close);

  const named = (name: string) => service.model.countDocuments({ 'token.name': name });

  it('a repeated request gets the first answer again and creates nothing, even after the signal has changed', async () => {
    const body = sampleBody({ name: 'repeated' });
    const first = await service.api.post(body, { 'idempotency-key': 'repeat-1' });
    await service.api.patch(detailOf(first).id, { status: 'dead' });
    clockMs += hourMs;
    const second = await service.api.post(body, { 'idempotency-key': 'repeat-1' });
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(await named('repeated')).toBe(1);
  });

  it('a repeated request may lay its JSON out differently', async () => {
    const { token, ...rest } = sampleBody({ name: 'layout' });
    const first = await service.api.post({ token, ...rest }, { 'idempotency-key': 'layout' });
    const second = await service.api.post({ ...rest, token }, { 'idempotency-key': 'layout' });
    expect(second.text).toBe(first.text);
  });

  it('a different body under the same key is answered with 409', async () => {
    await service.api.post(sampleBody({ name: 'one' }), { 'idempotency-key': 'taken' });
    const other = await service.api.post(sampleBody({ name: 'other' }), { 'idempotency-key': 'taken' });
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ error: { code: 'CONFLICT' } });
    expect(await named('other')).toBe(0);
  });

  it('20 equal requests at once create one signal, and get the same answer', async () => {
    const body = sampleBody({ name: 'twins' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.api.post(body, { 'idempotency-key': 'twins' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await named('twins')).toBe(1);
  });

  it('an idempotency key is recognised for 24 hours and free afterwards', async () => {
    const body = sampleBody({ name: 'expiring' });
    const post = () => service.api.post(body, { 'idempotency-key': 'expiring' });
    const first = detailOf(await post());
    clockMs += 24 * hourMs - 1;
    expect(detailOf(await post()).id).toBe(first.id);
    clockMs += 1;
    const second = detailOf(await post());
    expect(second.id).not.toBe(first.id);
    expect(detailOf(await post())).toEqual(second);
    expect(await named('expiring')).toBe(2);
  });

  it('one of several concurrent requests gets an idempotency key that is free again', async () => {
    const body = sampleBody({ name: 'contended' });
    const post = () => service.api.post(body, { 'idempotency-key': 'contended' });
    await post();
    clockMs += 24 * hourMs;
    const answers = await Promise.all(Array.from({ length: 10 }, post));
    expect(new Set(answers.map((answer) => detailOf(answer).id)).size).toBe(1);
    expect(await named('contended')).toBe(2);
  });

  it('an idempotency key is stored for 25 hours at most, and no repetition creates anything while it is removed', async () => {
    const body = sampleBody({ name: 'removed' });
    const post = (key: string) => service.api.post(body, { 'idempotency-key': key });
    const expire = () =>
      expireKeys(service.model.db, signalsCollection, {
        now: new Date(clockMs),
        lifeMs: idempotencyLifeMs,
      });
    const holding = () => service.model.countDocuments({ 'idempotency.key': { $exists: true } });
    while (await expire());
    const others = await holding();
    const old = detailOf(await post('old'));
    clockMs += 12 * hourMs;
    const young = detailOf(await post('young'));
    clockMs += 13 * hourMs + 1;
    // Both at once: who comes first makes no difference.
    const [again] = await Promise.all([post('young'), expire(), expire()]);
    expect(detailOf(again).id).toBe(young.id);
    expect(await service.model.findById(old.id).lean()).not.toHaveProperty('idempotency');
    expect(await service.model.findById(young.id).lean()).toHaveProperty('idempotency.at');
    expect(await holding()).toBeLessThanOrEqual(others + 1);
    const answers = await Promise.all([post('old'), expire(), post('old'), expire(), post('old')]);
    const made = answers.flatMap((answer) => (typeof answer === 'boolean' ? [] : [detailOf(answer).id]));
    expect(new Set(made).size).toBe(1);
    expect(await named('removed')).toBe(3);
  });

  it('expired idempotency keys are removed in bounded steps, by their index', async () => {
    const lines = Array.from({ length: 250 }, () => JSON.stringify(sampleBody({ name: 'stepwise' })));
    expect((await service.api.import(lines.join('\n'), { 'idempotency-key': 'stepwise' })).status).toBe(200);
    const ofImport = { 'token.name': 'stepwise', 'idempotency.key': { $exists: true } };
    expect(await service.model.countDocuments(ofImport)).toBe(250);
    const expire = () =>
      expireKeys(service.model.db, signalsCollection, {
        now: new Date(clockMs),
        lifeMs: idempotencyLifeMs,
      });
    while (await expire());
    expect(await service.model.countDocuments(ofImport)).toBe(250);
    clockMs += 26 * hourMs;
    const left: number[] = [];
    for (let more = true; more; ) {
      more = await expire();
      left.push(await service.model.countDocuments({ 'idempotency.key': { $exists: true } }));
    }
    for (const [at, count] of left.entries())
      expect((left[at - 1] ?? count) - count).toBeLessThanOrEqual(100);
    expect(left.at(-1)).toBe(0);
    expect(left.length).toBeGreaterThanOrEqual(3);
  });

  it('an idempotency key belongs to its producer', async () => {
    const body = sampleBody({ name: 'mine' });
    const mine = detailOf(await service.api.post(body, { 'idempotency-key': 'mine' }));
    const theirs = await service.ask
      .post('/internal/v1/signals')
      .set({ authorization: `Bearer ${identities.otherProducer}`, 'idempotency-key': 'mine' })
      .send(body);
    expect(detailOf(theirs).id).not.toBe(mine.id);
  });

  it.each(['', 'two words', 'ümlaut', 'x'.repeat(256)])(
    'an idempotency key is refused when it is "%s"',
    async (key) => {
      // supertest sends header text as latin1, as any client does.
      expect(refusedFields(await service.api.post(sampleBody(), { 'idempotency-key': key }))).toEqual([
        'Idempotency-Key',
      ]);
    },
  );

  it('an idempotency key may be 255 characters long', async () => {
    const response = await service.api.post(sampleBody(), { 'idempotency-key': '~'.repeat(255) });
    expect(response.status).toBe(201);
  });
});
