import { maxObservations, type ObservationReport } from '@sigcast/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignalStore } from '../src/domain/ports.ts';
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

const createdAt = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000).toISOString();

describe('observations of many signals in one request', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let service: Service;
  /** What the store says of the next writes, beside writing. */
  let answer: ((written: number) => number | Promise<number>) | undefined;
  beforeAll(async () => {
    const model = await openModel(stack, resources);
    const around = (store: SignalStore): SignalStore => ({
      ...store,
      replace: async (changes) => {
        const written = await store.replace(changes);
        return answer === undefined ? written : answer(written);
      },
    });
    service = openService({ model, identities, around, now: () => new Date(at(600)) });
  });
  afterAll(close);

  const created = async (count: number) => {
    const bodies = Array.from({ length: count }, () => sampleBody({ created_at: createdAt.toISOString() }));
    const answers = await Promise.all(bodies.map((body) => service.api.post(body)));
    return answers.map((each) => detailOf(each).id);
  };
  const reported = async (observations: readonly object[]): Promise<ObservationReport> => {
    const response = await service.api.observe(observations);
    if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
    return (response.body as { data: ObservationReport }).data;
  };
  const caps = (ids: readonly string[], observed_at: string) =>
    ids.map((id, n) => ({ id, metrics: { mcap_current: 200_000 + n }, observed_at }));
  const documents = async (ids: readonly string[]) => {
    const found = await service.model.find({ _id: { $in: ids } }).lean();
    return ids.map((id) => found.find(({ _id }) => _id === id));
  };

  it('observations in one request change each signal as a patch of its own would, with one event each', async () => {
    const ids = await created(maxObservations);
    expect(await reported(caps(ids, at(30)))).toEqual({
      received: maxObservations,
      applied: maxObservations,
      unchanged: 0,
      failed: 0,
      errors: [],
    });
    const [one, other] = await created(2);
    const patch = { metrics: { mcap_current: 300_000, holders: 7 }, status: 'winner', observed_at: at(45) };
    await reported([{ id: one, ...patch }]);
    const patched = detailOf(await service.api.patch(String(other), patch));
    const [observed] = await documents([String(one)]);
    expect(observed?.outbox[1]).toMatchObject({
      type: 'signal.winner',
      rev: 2,
      data: { ...patched, id: one },
    });
    for (const [n, document] of (await documents(ids)).entries()) {
      expect(document).toMatchObject({
        rev: 2,
        metrics: { mcap_current: 200_000 + n },
        ath_at: new Date(at(30)),
      });
      expect(document?.outbox.map(({ type, rev }) => [type, rev])).toEqual([
        ['signal.new', 1],
        ['signal.updated', 2],
      ]);
    }
  });

  it('observations that are sent again, or after newer ones, change nothing and make no event', async () => {
    const ids = await created(3);
    const first = caps(ids, at(30));
    await reported(first);
    expect(await reported(first)).toMatchObject({ applied: 0, unchanged: 3 });
    expect(await reported(caps(ids, at(29)))).toMatchObject({ applied: 0, unchanged: 3 });
    for (const document of await documents(ids)) expect(document?.outbox).toHaveLength(2);
  });

  it('an observation that fails is reported by its index, id and reason, and the others are applied', async () => {
    const [dead, tiny, full, good] = await created(4);
    await reported([{ id: dead, status: 'dead', observed_at: at(1) }]);
    await service.model.updateOne({ _id: String(tiny) }, { $set: { 'metrics.mcap_entry': 1e-300 } });
    const waiting = { id: 'evt_1', type: 'signal.updated' };
    const outbox = Array.from({ length: 1_000 }, () => waiting);
    await service.model.collection.updateOne({ _id: full as never }, { $set: { outbox } });
    const observed_at = at(2);
    const metrics = { mcap_current: 150_000 };
    const report = await reported([
      { id: dead, status: 'winner', observed_at },
      { id: good, metrics, observed_at },
      { id: sampleId, metrics, observed_at },
      { id: tiny, metrics, observed_at: at(700) },
      { id: full, metrics, observed_at },
    ]);
    expect(report).toMatchObject({ received: 5, applied: 1, unchanged: 0, failed: 4 });
    expect(report.errors.map(({ index, id, code }) => [index, id, code])).toEqual([
      [0, dead, 'CONFLICT'],
      [2, sampleId, 'NOT_FOUND'],
      [3, tiny, 'INVALID_REQUEST'],
      [4, full, 'SERVICE_UNAVAILABLE'],
    ]);
    expect(report.errors[2]?.details.map(({ field }) => field)).toEqual([
      'observed_at',
      'metrics.mcap_current',
    ]);
    const [document] = await documents([String(good)]);
    expect(document?.metrics.mcap_current).toBe(150_000);
  });

  it('observations lose none of the changes that others make to the same signals at once', async () => {
    const ids = await created(10);
    const observed = Array.from({ length: 6 }, () => reported(caps(ids, at(60))));
    const patched = ids.flatMap((id) =>
      Array.from({ length: 3 }, (_, n) => service.api.patch(id, { metrics: { holders: n } })),
    );
    const reports = await Promise.all(observed);
    const answers = await Promise.all(patched);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const { failed, applied, unchanged } of reports)
      expect([failed, applied + unchanged]).toEqual([0, 10]);
    const applied = reports.reduce((sum, report) => sum + report.applied, 0);
    const found = await documents(ids);
    expect(found.reduce((sum, document) => sum + Number(document?.rev), 0)).toBe(10 + 30 + applied);
    for (const document of found) {
      const revisions = document?.outbox.map(({ rev }) => rev);
      expect(revisions).toEqual(Array.from({ length: Number(document?.rev) }, (_, n) => n + 1));
    }
  });

  it('observations are applied once where the store does not say which of them it has written', async () => {
    const ids = await created(5);
    let lies = 1;
    answer = (written) => (lies-- > 0 ? written - 1 : written);
    expect(await reported(caps(ids, at(30)))).toMatchObject({ applied: 5, unchanged: 0, failed: 0 });
    answer = undefined;
    for (const document of await documents(ids))
      expect(document?.outbox.map(({ rev }) => rev)).toEqual([1, 2]);
  });

  it('observations are applied once where their events had left before the store was asked again', async () => {
    const ids = await created(5);
    let lies = 1;
    answer = async (written) => {
      if (lies-- <= 0) return written;
      await service.model.updateMany({ _id: { $in: ids } }, { $set: { outbox: [] } });
      return written - 1;
    };
    // From a clock that is ahead.
    expect(await reported(caps(ids, at(600.5)))).toMatchObject({ applied: 0, unchanged: 5, failed: 0 });
    answer = undefined;
    for (const document of await documents(ids)) expect(document).toMatchObject({ rev: 2, outbox: [] });
  });

  it.each([
    ['no observation', [], 'observations'],
    ['more than 100 observations', Array.from({ length: 101 }, () => ({})), 'observations'],
    ['an observation without a time', [{ id: sampleId, status: 'dead' }], 'observations.0.observed_at'],
    ['an observation that changes nothing', [{ id: sampleId, observed_at: at(1) }], 'observations.0'],
    [
      'an observation with an unknown field',
      [{ id: sampleId, roi: 1, status: 'dead', observed_at: at(1) }],
      'observations.0.roi',
    ],
    [
      'an id that no signal can have',
      [{ id: 'wh_1', status: 'dead', observed_at: at(1) }],
      'observations.0.id',
    ],
    [
      'two observations of one signal',
      [1, 2].map((minutes) => ({ id: sampleId, metrics: { holders: 1 }, observed_at: at(minutes) })),
      'observations.1.id',
    ],
  ])('a request for observations is refused where there is %s', async (_, observations, field) => {
    expect(refusedFields(await service.api.observe(observations))).toContain(field);
  });
});
