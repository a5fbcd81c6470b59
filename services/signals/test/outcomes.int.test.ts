import { type SignalEvent, shownSignalSchema } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveModel } from '../src/store/mongo-archive.ts';
import {
  detailOf,
  openPublishingService,
  openStack,
  refusedFields,
  type Service,
  testIdentities,
  untilOutboxesAreEmpty,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

const createdAt = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000).toISOString();
const evidence = { rule: 'v1', observations: [at(10), at(20)] };

describe('who decided the status of a signal', () => {
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
  const observed = async (observation: object, token = identities.tracker) => {
    const report = await service.api.observe([observation], token);
    expect(report.body).toMatchObject({ data: { applied: 1 } });
  };
  const detail = async (id: string, query = '?include=outcome') =>
    detailOf(await service.api.get(`/v1/signals/${id}${query}`));
  const eventsOf = (id: string) => events.filter(({ data }) => data.id === id);

  it('every event on the broker and in the archive says who observed and when, and on what a rule rests', async () => {
    const id = await created();
    await observed({ id, metrics: { mcap_current: 250_000 }, observed_at: at(10) });
    await observed({ id, metrics: { holders: 1 }, status: 'winner', evidence, observed_at: at(20) });
    expect((await service.api.patch(id, { status: 'rugged' })).status).toBe(200);
    const line = JSON.stringify(sampleBody({ symbol: 'LINE', created_at: at(5) }));
    expect((await service.api.import(line)).status).toBe(200);

    const expected = [
      { observed_at: at(0), source: 'producer' },
      { observed_at: at(10), source: 'tracker' },
      { observed_at: at(20), source: 'tracker', evidence },
      { observed_at: at(20), source: 'producer' },
    ];
    await eventually(() => expect(eventsOf(id).map(({ change }) => change)).toEqual(expected));
    await eventually(() =>
      expect(events.find(({ data }) => data.token.symbol === 'LINE')?.change).toEqual({
        observed_at: at(5),
        source: 'producer',
      }),
    );
    await untilOutboxesAreEmpty(service.model);
    const archived = await archiveModel(service.model.db).find({ 'event.data.id': id }).lean();
    const inOrder = archived.map(({ event }) => event).sort((one, other) => one.rev - other.rev);
    expect(inOrder.map(({ change }) => change)).toEqual(expected);
  });

  it('the detail and the list say who decided the status, by which rule, on which observations', async () => {
    const contract = '0x0dec1ded';
    const [open, ruled, told] = [
      await created({ contract }),
      await created({ contract }),
      await created({ contract }),
    ];
    await observed({ id: ruled, status: 'winner', evidence, observed_at: at(20) });
    await observed({ id: told, status: 'dead', observed_at: at(30) }, identities.producer);
    const outcomes = new Map<string, unknown>([
      [open, null],
      [
        ruled,
        {
          status: 'winner',
          decided_by: 'rule',
          rule: 'v1',
          decided_at: at(600),
          observations: evidence.observations,
        },
      ],
      [
        told,
        {
          status: 'dead',
          decided_by: 'producer',
          rule: null,
          decided_at: at(600),
          observations: [],
        },
      ],
    ]);
    for (const [id, outcome] of outcomes) {
      const shown = await detail(id);
      expect(shownSignalSchema.parse(shown).outcome).toEqual(outcome);
      expect(await detail(id, '')).not.toHaveProperty('outcome');
    }
    const read = async (query: string) =>
      (await service.api.get(`/v1/signals?contract=${contract}${query}`)).body as {
        data: { id: string; outcome?: unknown }[];
      };
    const listed = await read('&include=outcome');
    expect(new Map(listed.data.map(({ id, outcome }) => [id, outcome]))).toEqual(outcomes);
    for (const signal of (await read('')).data) expect(signal).not.toHaveProperty('outcome');
  });

  it('an answer with outcomes has an entity tag of its own, which changes with the outcome', async () => {
    const id = await created();
    const path = `/v1/signals/${id}`;
    const tag = async (query: string) => String((await service.api.get(path + query)).headers.etag);
    const [plain, active] = [await tag(''), await tag('?include=outcome')];
    expect(active).not.toBe(plain);
    const again = await service.api.get(`${path}?include=outcome`, { 'if-none-match': active });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await service.api.get(`${path}?include=outcome`, { 'if-none-match': plain })).status).toBe(200);
    await observed({ id, status: 'dead', evidence, observed_at: at(20) });
    expect((await service.api.get(`${path}?include=outcome`, { 'if-none-match': active })).status).toBe(200);
  });

  it('a status without evidence counts as decided by a producer, also where the tracker sent it', async () => {
    const id = await created();
    expect((await service.api.patch(id, { status: 'dead' }, identities.tracker)).status).toBe(200);
    expect(await detail(id)).toMatchObject({ outcome: { decided_by: 'producer', rule: null } });
    await eventually(() => expect(eventsOf(id).at(-1)?.type).toBe('signal.dead'));
    expect(eventsOf(id).at(-1)?.change).toEqual({ observed_at: at(0), source: 'tracker' });
  });

  it('nobody but the tracker says what a status rests on: evidence of a producer is 403, and changes nothing', async () => {
    const id = await created();
    const claim = { status: 'winner', evidence };
    const patched = await service.api.patch(id, claim, identities.producer);
    const observation = { id, ...claim, observed_at: at(20) };
    const reported = await service.api.observe([observation], identities.producer);
    for (const { status, body } of [patched, reported] as { status: number; body: unknown }[]) {
      expect({ status, body }).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    }
    expect(await detail(id)).toMatchObject({ performance: { status: 'active' }, outcome: null });
  });

  it('the detail refuses an unknown value of include', async () => {
    const id = await created();
    expect(refusedFields(await service.api.get(`/v1/signals/${id}?include=history`))).toEqual(['include']);
  });

  it.each([
    ['evidence without a status', { metrics: { holders: 1 }, evidence }, 'evidence'],
    ['evidence alone', { evidence }, 'evidence'],
    ['evidence of no rule', { status: 'dead', evidence: { ...evidence, rule: 'mine' } }, 'evidence.rule'],
    [
      'evidence of no observation',
      { status: 'dead', evidence: { ...evidence, observations: [] } },
      'evidence.observations',
    ],
    [
      'evidence of more than ten observations',
      { status: 'dead', evidence: { ...evidence, observations: Array.from({ length: 11 }, () => at(1)) } },
      'evidence.observations',
    ],
  ])('%s is refused, in a patch and in an observation', async (_, change, field) => {
    const id = await created();
    expect(refusedFields(await service.api.patch(id, change))).toContain(field);
    const observation = { id, ...change, observed_at: at(20) };
    expect(refusedFields(await service.api.observe([observation]))).toContain(`observations.0.${field}`);
    expect((await service.model.findById(id).lean())?.rev).toBe(1);
  });
});
