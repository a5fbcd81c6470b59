import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { observationsSchema, type Realizable, signalPatchSchema } from '@sigcast/contracts';
import { listenOnLoopback } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import type { PendingObservation } from '../src/domain/following.ts';
import { observationsApi } from '../src/sending/observations-api.ts';

const at = '2026-01-01T00:00:00.000Z';
const earlier = '2025-12-31T23:00:00.000Z';
const realizable: Realizable = {
  rule: 'v1',
  roi: -61.33,
  entered_at: earlier,
  exited_at: at,
  exit: 'end',
};
const metrics = { mcap: 2_000, liquidity: 800, volume24h: 70 };
const evidence = { rule: 'v1', observations: [new Date(earlier), new Date(at)] };

const id = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';

/** Sends an observation to a server that answers so, by the method. */
async function sentTo(
  answers: (method: string) => { status: number; body: unknown },
  status: PendingObservation['status'] = 'winner',
) {
  const asked: { asks: string; sends: unknown }[] = [];
  const server = createServer(async (req, res) => {
    const sends = JSON.parse(await text(req)) as unknown;
    asked.push({ asks: `${req.method} ${req.url}`, sends });
    const answer = answers(req.method ?? '');
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  const url = await listenOnLoopback(server);
  const api = observationsApi({ url, token: 'tracker', timeoutMs: 5_000 });
  const observation = { observedAt: new Date(at), metrics, status, evidence, realizable };
  try {
    return { asked, report: await api.send([{ id, observation }]) };
  } finally {
    await api.close();
    server.close();
  }
}

const ok = (body: unknown) => ({ status: 200, body });
const reportOf = (...errors: object[]) =>
  ok({
    data: {
      received: 1,
      applied: 1 - errors.length,
      unchanged: 0,
      failed: errors.length,
      errors: errors.map((one) => ({ index: 0, id, message: 'no', details: [], ...one })),
    },
  });
const has = (status: string) => ok({ data: { performance: { status } } });
const isWinner = has('winner');
const failure = (status: number, code: string) => ({ status, body: { error: { code, message: 'no' } } });

describe('the poller’s requests to the signals service', () => {
  it('are of the form that the service takes: figures, then the decision, with the position where it ends the signal', async () => {
    const { asked, report } = await sentTo((method) => (method === 'POST' ? reportOf() : isWinner));
    expect(report).toEqual({
      kind: 'answered',
      applied: 1,
      unchanged: 0,
      decided: new Set([id]),
      refused: new Map(),
      later: new Map(),
    });
    const ended = await sentTo((method) => (method === 'POST' ? reportOf() : has('rugged')), 'rugged');
    expect(ended.report).toMatchObject({ decided: new Set([id]), later: new Map() });
    const [figures, decision] = asked;
    expect([figures?.asks, decision?.asks]).toEqual([
      'POST /internal/v1/signals/observations',
      `PATCH /internal/v1/signals/${id}`,
    ]);
    expect(observationsSchema.parse(figures?.sends).observations).toEqual([
      {
        id,
        realizable,
        observed_at: new Date(at),
        metrics: { mcap_current: 2_000, liquidity: 800, volume_24h: 70 },
      },
    ]);
    const decided = { evidence: { rule: 'v1', observations: [earlier, at] } };
    expect(signalPatchSchema.parse(decision?.sends)).toEqual({ status: 'winner', ...decided });
    expect(signalPatchSchema.parse(ended.asked[1]?.sends)).toEqual({
      status: 'rugged',
      ...decided,
      realizable,
    });
  });
});

describe('the answer of the signals service to figures', () => {
  const figures = async (answer: { status: number; body: unknown }) =>
    sentTo((method) => (method === 'POST' ? answer : isWinner));

  it('refuses them for good by INVALID_REQUEST, and the decision is sent', async () => {
    const { report } = await figures(reportOf({ code: 'INVALID_REQUEST' }));
    const refused = new Map([[id, { refusal: 'invalid', message: 'no' }]]);
    expect(report).toMatchObject({ refused, decided: new Set([id]), later: new Map() });
  });

  it('refuses them for good by NOT_FOUND, and the decision is not sent', async () => {
    const { report, asked } = await figures(reportOf({ code: 'NOT_FOUND' }));
    expect(report).toMatchObject({ refused: new Map([[id, { refusal: 'not_found', message: 'no' }]]) });
    expect(asked).toHaveLength(1);
  });

  it('lets them be sent again later by any other code, and the decision after them', async () => {
    const { report, asked } = await figures(reportOf({ code: 'SERVICE_UNAVAILABLE' }));
    expect(report).toMatchObject({ later: new Map([[id, 'no']]), decided: new Set() });
    expect(report).not.toHaveProperty('problem');
    expect(asked).toHaveLength(1);
  });

  it('is a problem where it says that the poller is ahead of its time, and they are sent again later', async () => {
    const { report } = await figures(
      reportOf({ code: 'INVALID_REQUEST', details: [{ field: 'observed_at', message: 'no' }] }),
    );
    expect(report).toMatchObject({
      later: new Map([[id, 'no']]),
      refused: new Map(),
      problem: expect.stringContaining('clock'),
    });
  });

  it.each([[401], [403], [404], [429], [500], [503]])(
    'with status %i says nothing of them',
    async (status) => {
      const { report, asked } = await figures(failure(status, 'NO'));
      expect(report).toMatchObject({ kind: 'unavailable' });
      expect(asked).toHaveLength(1);
    },
  );

  it('of another form says nothing of them', async () => {
    expect((await figures(ok({ data: 'fine' }))).report).toMatchObject({ kind: 'unavailable' });
  });
});

describe('the answer of the signals service to a decision', () => {
  const decision = async (answer: { status: number; body: unknown }) =>
    (await sentTo((method) => (method === 'PATCH' ? answer : reportOf()))).report;

  it.each([
    [409, 'CONFLICT', 'conflict'],
    [404, 'NOT_FOUND', 'not_found'],
  ])('refuses it for good by %i %s', async (status, code, refusal) => {
    const report = await decision(failure(status, code));
    expect(report).toMatchObject({ applied: 1, decided: new Set(), later: new Map() });
    expect(report).toMatchObject({ refused: new Map([[id, expect.objectContaining({ refusal })]]) });
  });

  it('lets it be sent again later by INVALID_REQUEST, as that of a version that knows no evidence', async () => {
    const report = await decision(failure(400, 'INVALID_REQUEST'));
    expect(report).toMatchObject({
      later: new Map([[id, expect.stringContaining('400')]]),
      decided: new Set(),
    });
    expect(report).not.toHaveProperty('problem');
  });

  it.each([
    ['404 of another server', { status: 404, body: 'no' }],
    ['429', failure(429, 'RATE_LIMITED')],
    ['503', failure(503, 'SERVICE_UNAVAILABLE')],
    ['200 of another form', ok({ data: 'fine' })],
    ['200 with another status', ok({ data: { performance: { status: 'active' } } })],
  ])('is a problem with %s, and it is sent again later', async (_, answer) => {
    expect(await decision(answer)).toMatchObject({
      applied: 1,
      decided: new Set(),
      refused: new Map(),
      later: new Map([[id, expect.any(String)]]),
      problem: expect.any(String),
    });
  });
});
