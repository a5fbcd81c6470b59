import { type RevisionsPage, revisionsPageSchema, signalRevisionSchema } from '@sigcast/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

describe('reading all signals for a copy', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let service: Service;
  beforeAll(async () => {
    service = openService({ model: await openModel(stack, resources), identities });
  });
  beforeEach(() => service.model.deleteMany({}));
  afterAll(close);

  const page = async (query: string): Promise<RevisionsPage> => {
    const answer = await service.api.getInternal(query);
    return revisionsPageSchema.parse(answer.body);
  };
  const create = async (changes: Parameters<typeof sampleBody>[0] = {}) =>
    detailOf(await service.api.post(sampleBody(changes)));

  it('all signals are read in full with their revision, by id, page after page', async () => {
    for (let n = 0; n < 5; n++) await create();
    const { id } = await create({ created_at: '2020-01-01T00:00:00Z' });
    const changed = detailOf(await service.api.patch(id, { status: 'winner' }));
    const first = await page('?limit=4');
    expect(first.data[0]).toEqual({ rev: 2, signal: changed });
    expect(first.meta.next_after).toBe(first.data[3]?.signal.id);
    const second = await page(`?limit=4&after=${first.meta.next_after}`);
    expect(second.meta.next_after).toBeNull();
    const ids = [...first.data, ...second.data].map(({ signal }) => signal.id);
    expect(ids).toHaveLength(6);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('a copy has each signal exactly once while others are created and changed', async () => {
    const before: string[] = [];
    for (let n = 0; n < 12; n++) before.push((await create()).id);
    const seen: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const { data, meta }: RevisionsPage = await page(`?limit=3${after && `&after=${after}`}`);
      seen.push(...data.map(({ signal }) => signal.id));
      after = meta.next_after;
      await create({ created_at: '2020-01-01T00:00:00Z' });
      await create();
      await service.api.patch(before[seen.length % before.length] ?? '', {
        metrics: { holders: seen.length },
      });
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(before.filter((id) => !seen.includes(id))).toEqual([]);
  });

  it('a copy has what the exit rule says, as the event of the same revision, and nothing where there is no position', async () => {
    const [held, none] = [await create(), await create()];
    const realizable = {
      rule: 'v1',
      roi: 95.05,
      entered_at: held.created_at,
      exited_at: held.created_at,
      exit: 'target',
    };
    const change = { metrics: { mcap_current: 1 }, realizable };
    expect((await service.api.patch(held.id, change, identities.tracker)).status).toBe(200);
    const copied = new Map((await page('')).data.map((each) => [each.signal.id, each]));
    expect(copied.get(held.id)).toMatchObject({ rev: 2, realizable });
    expect(copied.get(none.id)).not.toHaveProperty('realizable');
    const answer = await service.api.getInternal(`/${held.id}`);
    const { data } = answer.body as { data: unknown };
    expect(signalRevisionSchema.parse(data)).toMatchObject({ realizable });
  });

  it('a copy of no signals is one empty page', async () => {
    expect(await page('')).toMatchObject({ data: [], meta: { next_after: null } });
  });

  it('one signal is read by its id', async () => {
    const created = await create();
    const answer = await service.api.getInternal(`/${created.id}`);
    const { data } = answer.body as { data: unknown };
    expect(signalRevisionSchema.parse(data)).toEqual({ rev: 1, signal: created });
    expect((await service.api.getInternal(`/${sampleId}`)).status).toBe(404);
  });

  it.each([
    ['?after=nothing', 'after'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?page=2', 'page'],
  ])('reading all signals refuses %s and names it', async (query, field) => {
    expect(refusedFields(await service.api.getInternal(query))).toEqual([field]);
  });

  it('reading all signals needs the scope signals:read', async () => {
    for (const path of ['', `/${sampleId}`]) {
      const get = (token: string) =>
        service.ask.get(`/internal/v1/signals${path}`).set('authorization', `Bearer ${token}`);
      expect((await get('')).status).toBe(401);
      expect((await get(identities.account)).status).toBe(401);
      expect((await get(identities.producer)).status).toBe(403);
      expect((await get(identities.reader)).status).not.toBe(403);
    }
    const post = service.ask.post('/internal/v1/signals').send(sampleBody());
    expect((await post.set('authorization', `Bearer ${identities.reader}`)).status).toBe(403);
  });
});
