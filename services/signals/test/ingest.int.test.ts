import { identityHeader, signalDetailSchema } from '@sigcast/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('creating a signal is answered with 201 and the signal, which can then be read', async () => {
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
    [
      'no market cap at entry',
      { metrics: { volume_24h: 1, holders: 1, liquidity: 1 } },
      'metrics.mcap_entry',
    ],
    [
      'a market cap of 0 at entry',
      { metrics: { ...sampleBody().metrics, mcap_entry: 0 } },
      'metrics.mcap_entry',
    ],
    ['an unknown type', { type: '5d' }, 'type'],
    ['an unknown field', { roi: 12 }, 'roi'],
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
    ['a creation in the future', { created_at: '2999-01-01T00:00:00Z' }, 'created_at'],
  ])('a new signal with %s is refused, and the field is named', async (_, change, field) => {
    expect(refusedFields(await service.api.post({ ...sampleBody(), ...change }))).toContain(field);
  });

  it('unknown links of a signal are empty strings, in the detail and in the event', async () => {
    const token = { ...sampleBody().token, socials: { twitter: '', telegram: null } };
    const signal = detailOf(await service.api.post({ ...sampleBody(), token }));
    expect(signal.token.socials).toEqual({ twitter: '', telegram: '', website: '' });
    const document = await service.model.findById(signal.id).lean();
    expect(document?.outbox[0]?.data.token.socials).toEqual(signal.token.socials);
  });

  it('names of tokens may be of any script, and have emoji', async () => {
    const token = { ...sampleBody().token, name: 'शिबा इनु 柴犬 👩‍🚀', symbol: 'ΣΔ' };
    expect(detailOf(await service.api.post({ ...sampleBody(), token })).token).toMatchObject({
      name: token.name,
      symbol: 'ΣΔ',
    });
  });

  it.each(['POST', 'PATCH'])('%s of a signal refuses query parameters', async (method) => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    const path = method === 'POST' ? '/internal/v1/signals' : `/internal/v1/signals/${id}`;
    const call = method === 'POST' ? service.ask.post(path) : service.ask.patch(path);
    const response = await call
      .query({ dry_run: 'true' })
      .set('authorization', `Bearer ${identities.producer}`)
      .send(method === 'POST' ? sampleBody() : { status: 'dead' });
    expect(refusedFields(response)).toEqual(['dry_run']);
  });

  it('a patch changes a signal, and is answered with the changed signal', async () => {
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

  it('a patch without anything new is answered with the signal, and writes nothing', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    const winner = detailOf(await service.api.patch(id, { status: 'winner' }));
    const repeated = await service.api.patch(id, { status: 'winner' });
    expect(repeated.status).toBe(200);
    expect(detailOf(repeated)).toEqual(winner);
    const stale = { metrics: { holders: 9 }, observed_at: '2020-01-01T00:00:00Z' };
    expect(detailOf(await service.api.patch(id, stale))).toEqual(winner);
    expect(await service.model.findById(id).lean()).toMatchObject({ rev: 2 });
  });

  it('an illegal change of status is answered with 409 that names both statuses', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    await service.api.patch(id, { status: 'dead' });
    const refused = await service.api.patch(id, { status: 'winner' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      success: false,
      error: { code: 'CONFLICT', message: expect.stringMatching(/dead.*winner/) },
    });
  });

  it('a patch is refused that changes nothing, has an unknown field, or is an observation of the future', async () => {
    const { id } = detailOf(await service.api.post(sampleBody()));
    expect(refusedFields(await service.api.patch(id, {}))).toHaveLength(1);
    expect(refusedFields(await service.api.patch(id, { metrics: { mcap_ath: 1 } }))).toContain(
      'metrics.mcap_ath',
    );
    const future = { metrics: { holders: 1 }, observed_at: '2999-01-01T00:00:00Z' };
    expect(refusedFields(await service.api.patch(id, future))).toEqual(['observed_at']);
  });

  it.each([sampleId, 'sig_short', 'wh_01J9ZQ6W8T3M5N7P9R1S3V5X7Z', 'import'])(
    'the id %s, which no signal has, is answered with 404',
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

  it('none of 30 concurrent patches of a signal is lost', async () => {
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

  it('only producers with the scope may write, and only the gateway may read', async () => {
    const post = (token: string) =>
      service.ask.post('/internal/v1/signals').set('authorization', `Bearer ${token}`).send(sampleBody());
    expect((await post('')).status).toBe(401);
    expect((await post(identities.account)).status).toBe(401);
    expect((await post(identities.powerless)).status).toBe(403);
    expect((await service.ask.get('/v1/signals')).status).toBe(401);
    const asProducer = await service.ask.get('/v1/signals').set(identityHeader, identities.producer);
    expect(asProducer.status).toBe(401);
  });

  it('a method that a path does not have is 405 with the methods that it has', async () => {
    const response = await service.ask.get('/internal/v1/signals/import');
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe('POST');
  });
});
