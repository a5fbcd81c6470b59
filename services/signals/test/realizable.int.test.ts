import { type SignalEvent, shownSignalSchema } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  detailOf,
  openPublishingService,
  openStack,
  refusedFields,
  type Service,
  testIdentities,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

const createdAt = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000).toISOString();
const open = { rule: 'v1', roi: -3.89, entered_at: at(2), exited_at: null, exit: null };
const sold = { ...open, roi: 98.5, exited_at: at(20), exit: 'target' };
const evidence = { rule: 'v1', observations: [at(10), at(20)] };

describe('what could be realized with a signal', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let service: Service;
  let events: readonly SignalEvent[];
  beforeAll(async () => {
    ({ service, events } = await openPublishingService(stack, resources, {
      identities,
      now: () => new Date(at(600)),
    }));
  });
  afterAll(close);

  const created = async (changes: Parameters<typeof sampleBody>[0] = {}) =>
    detailOf(await service.api.post(sampleBody({ created_at: at(0), ...changes }))).id;
  const observation = (id: string, minutes: number, realizable?: object) => ({
    id,
    metrics: { mcap_current: 1_000 * minutes },
    observed_at: at(minutes),
    ...(realizable && { realizable }),
  });
  const reported = async (...observations: object[]) =>
    (await service.api.observe(observations, identities.tracker)).body as { data: object };
  const shown = async (id: string, query: string) =>
    shownSignalSchema.parse(detailOf(await service.api.get(`/v1/signals/${id}${query}`)));
  const eventsOf = (id: string) => events.filter(({ data }) => data.id === id);

  it('every event of the signal has the newest result, whoever makes the change, and none before the entry', async () => {
    const id = await created();
    await reported(observation(id, 1));
    await reported(observation(id, 2, open));
    expect((await service.api.patch(id, { metrics: { holders: 7 } })).status).toBe(200);
    const decided = { status: 'dead', evidence, realizable: { ...sold, exit: 'end' } };
    expect((await service.api.patch(id, decided, identities.tracker)).status).toBe(200);
    await eventually(() => expect(eventsOf(id)).toHaveLength(5));
    expect(eventsOf(id).map(({ realizable }) => realizable)).toEqual([
      ...[undefined, undefined, open, open],
      { ...sold, exit: 'end' },
    ]);
  });

  it('the detail and the list show the result of the exit rule where it is asked for, alone or with the outcome, and null without a position', async () => {
    const contract = '0x0acc0001';
    const [held, none] = [await created({ contract }), await created({ contract })];
    await reported(observation(held, 20, sold), observation(none, 20));
    const expected = new Map<string, object | null>([
      [held, sold],
      [none, null],
    ]);
    for (const [id, realizable] of expected) {
      expect(await shown(id, '')).not.toHaveProperty('realizable');
      expect(await shown(id, '?include=outcome')).not.toHaveProperty('realizable');
      expect(await shown(id, '?include=realizable')).not.toHaveProperty('outcome');
      expect(await shown(id, '?include=realizable')).toMatchObject({ realizable });
      expect(await shown(id, '?include=outcome,realizable')).toMatchObject({ realizable, outcome: null });
    }
    const listed = async (query: string) =>
      ((await service.api.get(`/v1/signals?contract=${contract}${query}`)).body as { data: object[] }).data;
    for (const signal of await listed('')) expect(signal).not.toHaveProperty('realizable');
    for (const signal of await listed('&include=realizable')) {
      expect(signal).toMatchObject({
        realizable: expected.get((signal as { id: string }).id),
      });
      expect(signal).not.toHaveProperty('outcome');
    }
    for (const signal of await listed('&include=realizable,outcome')) {
      expect(signal).toHaveProperty('realizable');
      expect(signal).toHaveProperty('outcome');
    }
  });

  it('an answer with results of the exit rule has an entity tag of its own, which changes with the result', async () => {
    const id = await created();
    await reported(observation(id, 10, open));
    const path = `/v1/signals/${id}?include=realizable`;
    const tag = async () => String((await service.api.get(path)).headers.etag);
    const before = await tag();
    expect((await service.api.get(path, { 'if-none-match': before })).status).toBe(304);
    await reported(observation(id, 10, { ...open, roi: -4 }));
    expect(await tag()).not.toBe(before);
  });

  it('an observation that is sent again changes nothing, and after the exit no other result is taken', async () => {
    const id = await created();
    await reported(observation(id, 20, sold));
    expect(await reported(observation(id, 20, sold))).toMatchObject({ data: { applied: 0, unchanged: 1 } });
    expect(await reported(observation(id, 19, open))).toMatchObject({ data: { applied: 0, unchanged: 1 } });
    expect(await reported(observation(id, 21, open))).toMatchObject({ data: { applied: 1 } });
    expect(await shown(id, '?include=realizable')).toMatchObject({
      realizable: sold,
      metrics: { mcap_current: 21_000 },
    });
  });

  it('nobody but the tracker says what could be realized: a result of a producer is 403, and changes nothing', async () => {
    const id = await created();
    const observations = [observation(id, 20, sold)];
    const answers = [
      await service.api.observe(observations, identities.producer),
      await service.api.patch(id, { status: 'dead', realizable: sold }, identities.producer),
    ];
    for (const { status, body } of answers as { status: number; body: unknown }[]) {
      expect({ status, body }).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    }
    expect(await shown(id, '?include=realizable')).toMatchObject({
      realizable: null,
      performance: { status: 'active' },
    });
  });

  it.each([
    ['a result alone', { realizable: sold }, ''],
    ['a result of no rule', { status: 'dead', realizable: { ...sold, rule: 'mine' } }, 'realizable.rule'],
    ['a loss of more than all', { status: 'dead', realizable: { ...sold, roi: -100.01 } }, 'realizable.roi'],
    [
      'a result beyond exact hundredths',
      { status: 'dead', realizable: { ...sold, roi: 1e13 } },
      'realizable.roi',
    ],
    ['an unknown exit', { status: 'dead', realizable: { ...sold, exit: 'moon' } }, 'realizable.exit'],
    ['an unknown member', { status: 'dead', realizable: { ...sold, why: 1 } }, 'realizable.why'],
  ])('%s is refused, in a patch and in an observation', async (_, change, field) => {
    const id = await created();
    expect(refusedFields(await service.api.patch(id, change, identities.tracker))).toContain(field);
    const sent = { id, ...change, observed_at: at(20) };
    const refused = refusedFields(await service.api.observe([sent], identities.tracker));
    expect(refused).toContain(['observations.0', field].filter((part) => part !== '').join('.'));
  });

  it.each([
    ['include=profit', 'include'],
    ['include=realizable,profit', 'include'],
    ['include=', 'include'],
  ])('a list refuses %s, and names the values that exist', async (query, field) => {
    const answer = await service.api.get(`/v1/signals?${query}`);
    expect(refusedFields(answer)).toEqual([field]);
    expect(answer.text).toContain('must be one of outcome, origin, realizable');
  });
});
