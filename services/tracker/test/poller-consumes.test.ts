import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import type { PendingObservation } from '../src/domain/following.ts';
import { observationsApi } from '../src/sending/observations-api.ts';
import { at, earlier, pollerRequests, realizable } from './poller-requests.ts';

const id = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';

/** Sends an observation to a server that answers so, by the method. */
async function sentTo(
  answers: (method: string, sends: unknown) => { status: number; body: unknown },
  status: PendingObservation['status'] = 'winner',
) {
  const asked: { asks: string; sends: unknown }[] = [];
  const server = createServer(async (req, res) => {
    const sends = JSON.parse((await text(req)).replaceAll(id, '{signal_id}')) as unknown;
    asked.push({ asks: `${req.method} ${req.url?.replace(id, '{signal_id}')}`, sends });
    const answer = answers(req.method ?? '', sends);
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  const url = await listenOnLoopback(server);
  const api = observationsApi({ url, token: 'tracker', timeoutMs: 5_000 });
  const metrics = { mcap: 2_000, liquidity: 800, volume24h: 70 };
  const evidence = { rule: 'v1', observations: [new Date(earlier), new Date(at)] };
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
      applied: 1 - errors.length,
      unchanged: 0,
      errors: errors.map((one) => ({ id, message: 'no', details: [], ...one })),
    },
  });
const has = (status: string) => ok({ data: { performance: { status } } });
const isWinner = has('winner');
const failure = (status: number, code: string) => ({ status, body: { error: { code, message: 'no' } } });

describe('the record of the poller’s requests to the signals service', () => {
  it('has every request that the poller makes, and answers with the recorded fields alone are enough', async () => {
    const { asked, report } = await sentTo((method) => (method === 'POST' ? reportOf() : isWinner));
    expect(report).toEqual({
      ...{ kind: 'answered', applied: 1, unchanged: 0 },
      ...{ decided: new Set([id]), refused: new Map(), later: new Map() },
    });
    const ended = await sentTo((method) => (method === 'POST' ? reportOf() : has('rugged')), 'rugged');
    expect(ended.report).toMatchObject({ decided: new Set([id]), later: new Map() });
    expect([...asked, ...ended.asked.slice(1)]).toEqual(
      pollerRequests.map(({ asks, sends }) => ({ asks: asks.replace('ending_', ''), sends })),
    );
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
      reportOf({ code: 'INVALID_REQUEST', details: [{ field: 'observed_at' }] }),
    );
    expect(report).toMatchObject({
      ...{ later: new Map([[id, 'no']]), refused: new Map() },
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

describe('a signals service of the release before, which does not know what the exit rule says', () => {
  /** Refuses requests in which the member is, as the schema of the release before does. */
  const before = (method: string, sends: unknown) => {
    const { observations, ...patch } = sends as { observations?: object[]; status?: string };
    const fields = [
      ...(observations ?? []).flatMap((each, n) =>
        'realizable' in each ? [`observations.${n}.realizable`] : [],
      ),
      ...('realizable' in patch ? ['realizable'] : []),
    ];
    if (fields.length === 0) return method === 'POST' ? reportOf() : has(patch.status ?? '');
    const details = fields.map((field) => ({ field, message: 'is not known' }));
    return { status: 400, body: { error: { code: 'INVALID_REQUEST', message: 'no', details } } };
  };

  it('takes the figures without it, and a decision that the signal goes on after', async () => {
    const { report, asked } = await sentTo(before);
    expect(report).toMatchObject({
      applied: 1,
      decided: new Set([id]),
      later: new Map(),
      refused: new Map(),
    });
    expect(report).not.toHaveProperty('problem');
    expect(asked.map(({ asks }) => asks.slice(0, 5))).toEqual(['POST ', 'POST ', 'PATCH']);
    const [first] = pollerRequests;
    const [{ realizable: _realizable, ...without } = {}] = first?.sends.observations ?? [];
    expect(asked[1]?.sends).toEqual({ observations: [without] });
  });

  it('gets a decision that ends the signal later, so that the exit is not lost', async () => {
    const { report } = await sentTo(before, 'dead');
    expect(report).toMatchObject({
      ...{ applied: 1, decided: new Set(), refused: new Map() },
      later: new Map([[id, expect.stringContaining('400')]]),
    });
    expect(report).not.toHaveProperty('problem');
  });

  it('is asked once more and not again and again where it refuses what was not sent, too', async () => {
    const details = [{ field: 'observations.0.realizable', message: 'no' }];
    const refusal = { status: 400, body: { error: { code: 'INVALID_REQUEST', message: 'no', details } } };
    const { report, asked } = await sentTo((method) => (method === 'POST' ? refusal : isWinner));
    expect(asked).toHaveLength(3);
    expect(report).toMatchObject({
      refused: new Map([[id, expect.objectContaining({ refusal: 'invalid' })]]),
    });
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
      ...{ applied: 1, decided: new Set(), refused: new Map() },
      ...{ later: new Map([[id, expect.any(String)]]), problem: expect.any(String) },
    });
  });
});
