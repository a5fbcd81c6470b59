import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { observationsApi } from '../src/sending/observations-api.ts';
import { at, earlier, pollerRequests } from './poller-requests.ts';

const id = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';

describe('what is recorded of what the poller asks of the signals service', () => {
  it('is every request that it makes, and answers of no more than that are enough', async () => {
    const asked: { asks: string; sends: unknown }[] = [];
    const server = createServer(async (req, res) => {
      const body = (await text(req)).replaceAll(id, '{signal_id}');
      asked.push({ asks: `${req.method} ${req.url}`, sends: JSON.parse(body) as unknown });
      res.end(JSON.stringify({ data: { applied: 1, unchanged: 0, errors: [] } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const api = observationsApi({ url, token: 'tracker', timeoutMs: 5_000 });
    try {
      const taken = { kind: 'answered', applied: 1, unchanged: 0, refused: new Map(), later: new Set() };
      const metrics = { mcap: 2_000, liquidity: 800, volume24h: 70 };
      expect(await api.send([{ id, observation: { observedAt: new Date(at), metrics } }])).toEqual(taken);
      const evidence = { rule: 'v1', observations: [new Date(earlier), new Date(at)] };
      const decided = { observedAt: new Date(at), status: 'rugged', evidence } as const;
      expect(await api.send([{ id, observation: decided }])).toEqual(taken);
    } finally {
      await api.close();
      server.close();
    }
    expect(asked).toEqual(pollerRequests.map(({ asks: target, sends }) => ({ asks: target, sends })));
  });
});

describe('the answer of the signals service', () => {
  const answered = async (status: number, body: unknown) => {
    const server = createServer((_req, res) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const api = observationsApi({ url, token: 'tracker', timeoutMs: 5_000 });
    try {
      return await api.send([{ id, observation: { observedAt: new Date(at), status: 'dead' } }]);
    } finally {
      await api.close();
      server.close();
    }
  };
  const report = (code: string) => ({
    data: { applied: 0, unchanged: 0, errors: [{ id, code, message: 'no' }] },
  });

  it.each([
    ['CONFLICT', 'conflict'],
    ['INVALID_REQUEST', 'invalid'],
    ['NOT_FOUND', 'not_found'],
  ])('refuses an observation for good by %s', async (code, refusal) => {
    expect(await answered(200, report(code))).toMatchObject({
      refused: new Map([[id, { refusal, message: 'no' }]]),
    });
  });

  it('lets an observation be sent again later by any other code', async () => {
    expect(await answered(200, report('SERVICE_UNAVAILABLE'))).toMatchObject({ later: new Set([id]) });
  });

  it.each([[401], [403], [404], [429], [500], [503]])(
    'with status %i says nothing of the observations',
    async (status) => {
      expect(await answered(status, { error: { message: 'no' } })).toMatchObject({ kind: 'unavailable' });
    },
  );

  it('of another form says nothing of the observations', async () => {
    expect(await answered(200, { data: 'fine' })).toMatchObject({ kind: 'unavailable' });
  });
});
