import { createServer } from 'node:http';
import { listenOnLoopback, readAs, recorded } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { factEventSchema } from '../src/domain/fact.ts';
import { factRevisionSchema, factRevisionsPageSchema, signalsApi } from '../src/operator/signals-api.ts';

const id = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';
const file = (name: string) => new URL(`../consumes/${name}.json`, import.meta.url);

/** The requests to the signals service, and all fields that are read of the answers. */
const expectations = [
  { asks: 'GET /internal/v1/signals', as: 'reader', gets: 200, reads: readAs(factRevisionsPageSchema) },
  {
    asks: 'GET /internal/v1/signals?after={signal_id}',
    as: 'reader',
    gets: 200,
    reads: readAs(factRevisionsPageSchema),
  },
  {
    asks: 'GET /internal/v1/signals/{signal_id}',
    as: 'reader',
    gets: 200,
    reads: {
      type: 'object',
      properties: { data: readAs(factRevisionSchema) },
      required: ['data'],
    },
  },
  // The answer for an unknown signal.
  { asks: 'GET /internal/v1/signals/sig_00000000000000000000', as: 'reader', gets: 404, reads: true },
  // The answer for a token without the scope.
  { asks: 'GET /internal/v1/signals', as: 'powerless', gets: 403, reads: true },
];

/** The smallest data that the schemas accept. */
const signal = {
  id,
  type: 'new',
  created_at: '2026-01-01T00:00:00Z',
  performance: { status: 'active', roi: 1, ath_roi: 2.5, time_to_ath_hours: 3.25 },
};
const revision = { rev: 3, signal, realizable: { rule: 'v1', roi: -25.5, exit: null } };

describe('what stats records of others', () => {
  it('has the fields that it reads of events, and no others', () => {
    const present = { 'signal.*': readAs(factEventSchema) };
    expect(recorded(file('events'), present)).toEqual(present);
    expect(Object.keys(factEventSchema.shape).sort()).toEqual(['data', 'realizable', 'rev', 'version']);
  });

  it('has the requests to the signals service, and the fields that it reads of the answers', () => {
    expect(recorded(file('signals'), expectations)).toEqual(expectations);
  });

  it('has every request that it makes of the signals service, and answers with the recorded fields alone are enough', async () => {
    const asked: string[] = [];
    const server = createServer((req, res) => {
      asked.push(`${req.method} ${req.url?.replace(id, '{signal_id}')}`);
      const one = !/signals(\?|$)/.test(req.url ?? '');
      const body = one ? { data: revision } : { success: true, data: [revision], meta: { next_after: null } };
      const status = req.url?.endsWith('sig_00000000000000000000') === true ? 404 : 200;
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const url = await listenOnLoopback(server);
    try {
      const api = signalsApi({ url, token: 'a reader' });
      const fact = {
        ...{ id, type: 'new', status: 'active', roi: 100, rev: 3, createdAt: new Date('2026-01-01') },
        ath: { roi: 250, after: 325 },
        realizable: { roi: -2_550, exit: 'open' },
      };
      expect(await api.page(undefined)).toEqual({ signals: [fact], nextAfter: null });
      expect(await api.page(id)).toEqual({ signals: [fact], nextAfter: null });
      expect(await api.find(id)).toEqual(fact);
      expect(await api.find('sig_00000000000000000000')).toBeUndefined();
    } finally {
      server.close();
    }
    const requests = expectations.map(({ asks }) => asks);
    expect(new Set(asked)).toEqual(new Set(requests));
  });
});
