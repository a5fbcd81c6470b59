import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identityHeader, signalDetailSchema } from '@sigcast/contracts';
import supertest from 'supertest';
import {
  detailOf,
  openModel,
  openService,
  openStack,
  refusedFields,
  type Service,
  testIdentities,
} from './fixture.ts';
import { sampleBody, sampleId } from './samples.ts';

describe('ingest', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let service: Service;
  beforeAll(async () => {
    service = openService({ model: await openModel(stack, resources), identities });
  });
  afterAll(close);

  it('answers 201 with the signal, which can then be read', async () => {
    const created = await service.api.post(sampleBody({ type: 'wallet', mcap_current: 250_000 }));
    expect(created.status).toBe(201);
    const signal = signalDetailSchema.parse(detailOf(created));
    expect(signal).toMatchObject({ type: 'wallet', performance: { roi: 150, status: 'active' } });
    expect(detailOf(await service.api.get(`/v1/signals/${signal.id}`))).toEqual(signal);
  });

  it('a new signal and its event are stored in one document', async () => {
    const signal = detailOf(await service.api.post(sampleBody()));
    const document = await service.model.findById(signal.id).lean();
    expect(document).toMatchObject({
      rev: 1,
      outbox: [{ type: 'signal.new', rev: 1, data: signal }],
    });
  });

  it.each([
    ['no entry', { metrics: { volume_24h: 1, holders: 1, liquidity: 1 } }, 'metrics.mcap_entry'],
    ['an entry of nothing', { metrics: { ...sampleBody().metrics, mcap_entry: 0 } }, 'metrics.mcap_entry'],
    ['an unknown type', { type: '5d' }, 'type'],
    ['a field nobody knows', { roi: 12 }, 'roi'],
    [
      'a link that is none',
      { token: { ...sampleBody().token, socials: { twitter: 'x' } } },
      'token.socials.twitter',
    ],
    [
      'a link that is no string',
      { token: { ...sampleBody().token, socials: { website: 1 } } },
      'token.socials.website',
    ],
    ['a symbol with a line break', { token: { ...sampleBody().token, symbol: 'A\nB' } }, 'token.symbol'],
    ['a name that reads backwards', { token: { ...sampleBody().token, name: 'a\u202eb' } }, 'token.name'],
    [
      'a contract with an isolate',
      { token: { ...sampleBody().token, contract: '0x\u20661' } },
      'token.contract',
    ],
    [
      'a name with half a surrogate pair',
      { token: { ...sampleBody().token, name: 'a\ud83d' } },
      'token.name',
    ],
    ['no time zone', { created_at: '2026-01-01T00:00:00' }, 'created_at'],
    ['a creation to come', { created_at: '2999-01-01T00:00:00Z' }, 'created_at'],
  ])('refuses %s by its name', async (_, change, field) => {
    expect(refusedFields(await service.api.post({ ...sampleBody(), ...change }))).toContain(field);
  });

  it('says an empty string for each link that is not known, in the detail and in the event', async () => {
    const token = { ...sampleBody().token, socials: { twitter: '', telegram: null } };
    const signal = detailOf(await service.api.post({ ...sampleBody(), token }));
    expect(signal.token.socials).toEqual({ twitter: '', telegram: '', website: '' });
    const document = await service.model.findById(signal.id).lean();
    expect(document?.outbox[0]?.data.token.socials).toEqual(signal.token.socials);
  });

  it('takes names of every script, with emoji', async () => {
    const token = { ...sampleBody().token, name: 'शिबा इनु 柴犬 👩‍🚀', symbol: 'ΣΔ' };
    expect(detailOf(await service.api.post({ ...sampleBody(), token })).token).toMatchObject({
      name: token.name,
      symbol: 'ΣΔ',
    });
  });

  it.each(['POST', 'PATCH'])('refuses a query where there is none: %s', async (method) => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    const path = method === 'POST' ? '/internal/v1/signals' : `/internal/v1/signals/${id}`;
    const call = method === 'POST' ? supertest(service.app).post(path) : supertest(service.app).patch(path);
    const response = await call
      .query({ dry_run: 'true' })
      .set('authorization', `Bearer ${identities.producer}`)
      .send(method === 'POST' ? sampleBody() : { status: 'dead' });
    expect(refusedFields(response)).toEqual(['dry_run']);
  });

  it('changes a signal and answers with it', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    const patched = await service.api.patch(id, { metrics: { mcap_current: 400_000 }, status: 'winner' });
    expect(patched.status).toBe(200);
    expect(detailOf(patched)).toMatchObject({ performance: { roi: 300, status: 'winner' } });
    expect(detailOf(await service.api.get(`/v1/signals/${id}`))).toEqual(detailOf(patched));
    const document = await service.model.findById(id).lean();
    expect(document?.outbox.map(({ type, rev }) => [type, rev])).toEqual([
      ['signal.new', 1],
      ['signal.winner', 2],
    ]);
  });

  it('answers a change that brings nothing new with the signal, and writes nothing', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    const winner = detailOf(await service.api.patch(id, { status: 'winner' }));
    const repeated = await service.api.patch(id, { status: 'winner' });
    expect(repeated.status).toBe(200);
    expect(detailOf(repeated)).toEqual(winner);
    const stale = { metrics: { holders: 9 }, observed_at: '2020-01-01T00:00:00Z' };
    expect(detailOf(await service.api.patch(id, stale))).toEqual(winner);
    expect(await service.model.findById(id).lean()).toMatchObject({ rev: 2 });
  });

  it('answers an illegal transition with 409 that names both ends', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    await service.api.patch(id, { status: 'dead' });
    const refused = await service.api.patch(id, { status: 'winner' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      success: false,
      error: { code: 'CONFLICT', message: expect.stringMatching(/dead.*winner/) },
    });
  });

  it('refuses a change of nothing, an unknown field, and an observation to come', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    expect(refusedFields(await service.api.patch(id, {}))).toHaveLength(1);
    expect(refusedFields(await service.api.patch(id, { metrics: { mcap_ath: 1 } }))).toContain(
      'metrics.mcap_ath',
    );
    const future = { metrics: { holders: 1 }, observed_at: '2999-01-01T00:00:00Z' };
    expect(refusedFields(await service.api.patch(id, future))).toEqual(['observed_at']);
  });

  it.each([sampleId, 'sig_short', 'wh_01J9ZQ6W8T3M5N7P9R1S3V5X7Z', 'import'])(
    'knows no signal %s',
    async (id) => {
      for (const response of [
        await service.api.get(`/v1/signals/${id}`),
        ...(id === 'import' ? [] : [await service.api.patch(id, { status: 'dead' })]),
      ]) {
        expect(response.status).toBe(404);
        expect(response.body).toMatchObject({ error: { code: 'NOT_FOUND' } });
      }
    },
  );

  it('loses none of 30 changes made at once', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => service.api.patch(id, { metrics: { holders: n } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const document = await service.model.findById(id).lean();
    const revisions = Array.from({ length: 31 }, (_, n) => n + 1);
    expect(document?.rev).toBe(31);
    expect(document?.outbox.map(({ rev }) => rev)).toEqual(revisions);
    const seen = document?.outbox.slice(1).map(({ data }) => data.metrics.holders);
    expect(seen?.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });

  it('lets in producers with the scope alone, and reads by the gateway alone', async () => {
    const post = (token: string) =>
      supertest(service.app)
        .post('/internal/v1/signals')
        .set('authorization', `Bearer ${token}`)
        .send(sampleBody());
    expect((await post('')).status).toBe(401);
    expect((await post(identities.account)).status).toBe(401);
    expect((await post(identities.powerless)).status).toBe(403);
    expect((await supertest(service.app).get('/v1/signals')).status).toBe(401);
    const asProducer = await supertest(service.app)
      .get('/v1/signals')
      .set(identityHeader, identities.producer);
    expect(asProducer.status).toBe(401);
  });

  it('answers a method that does not exist with those that do', async () => {
    const response = await supertest(service.app).get('/internal/v1/signals/import');
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe('POST');
  });
});
