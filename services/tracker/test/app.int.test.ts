import { identityHeader, signalHistorySchema } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { askApp, testKeyPair } from '@sigcast/testing';
import type { Express } from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import { revisionOf } from '../src/domain/revision.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { createdMs, eventOf, signalId } from './events.ts';
import { appOver, useMongo } from './fixture.ts';

const minuteMs = 60_000;
const keys = testKeyPair();
const token = identitySigner(
  'gateway',
  keys.privateKey,
  'tracker',
)({ subject: 'acct_1', scopes: [], ttlS: 600 });
const path = `/v1/signals/${signalId(1)}/history`;

describe('GET /v1/signals/{signal_id}/history', () => {
  const mongo = useMongo();
  let app: Express;
  let nowMs = createdMs + 90 * minuteMs;
  beforeAll(async () => {
    app = appOver(mongo(), { gatewayKey: keys.publicKey, now: () => new Date(nowMs) });
    const revisions = mongoRevisions(mongo());
    await revisions.record(revisionOf(eventOf({ signal: 1, rev: 1, atMs: createdMs, mcap: 1_000 })));
    for (let rev = 2; rev < 60; rev++) {
      const atMs = createdMs + rev * minuteMs;
      await revisions.record(
        revisionOf(eventOf({ signal: 1, rev, atMs, mcap: 1_000 + rev, mcapAth: 1_000 + rev })),
      );
    }
    // The range of ids of another signal begins with the same characters.
    const other = { ...eventOf({ signal: 2, rev: 1, atMs: createdMs, mcap: 7 }) };
    await revisions.record(revisionOf({ ...other, data: { ...other.data, id: `${signalId(1)}0` } }));
  });

  const get = (query = '') => askApp(app).get(`${path}${query}`).set(identityHeader, token);
  const refused = async (query: string) => {
    const answer = await get(query);
    const { error } = answer.body as { error: { code: string; details?: { field: string }[] } };
    return { status: answer.status, code: error.code, fields: error.details?.map(({ field }) => field) };
  };

  it('a history has the observations of its signal, and of no other', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    const history = signalHistorySchema.parse((answer.body as { data: unknown }).data);
    expect(history).toMatchObject({
      id: signalId(1),
      resolution: '1m',
      status: 'active',
      changes: [],
      from: new Date(createdMs).toISOString(),
      until: new Date(nowMs).toISOString(),
      entry: { at: new Date(createdMs).toISOString(), mcap: 1_000 },
      ath: { mcap: 1_059 },
    });
    expect(history.buckets).toHaveLength(59);
    expect(history.buckets.every(({ count }) => count === 1)).toBe(true);
    const hours = signalHistorySchema.parse(((await get('?resolution=1h')).body as { data: unknown }).data);
    expect(hours.buckets.map(({ count }) => count)).toEqual([59]);
  });

  it('a wrong, unknown or repeated parameter of a history is 400 that names it', async () => {
    const invalid = (...fields: string[]) => ({ status: 400, code: 'INVALID_REQUEST', fields });
    expect(await refused('?resolution=2h')).toEqual(invalid('resolution'));
    expect(await refused('?from=yesterday&until=2026-13-01')).toEqual(invalid('from', 'until'));
    expect(await refused('?from=2026-03-01T12:00:00')).toEqual(invalid('from'));
    expect(await refused('?since=2026-03-01')).toEqual(invalid('since'));
    expect(await refused('?resolution=1m&resolution=1m')).toEqual(invalid('resolution'));
    expect(await refused('?from=2026-04-01&until=2026-03-01')).toEqual(invalid('from'));
  });

  it('an unknown signal and an id of a wrong form are 404, another method is 405, and nobody is answered without an identity', async () => {
    const answered = async (target: string) => {
      const answer = await askApp(app).get(target).set(identityHeader, token);
      return { status: answer.status, code: (answer.body as { error?: { code: string } }).error?.code };
    };
    expect(await answered(`/v1/signals/${signalId(9)}/history`)).toEqual({ status: 404, code: 'NOT_FOUND' });
    expect(await answered('/v1/signals/sig_1/history')).toEqual({ status: 404, code: 'NOT_FOUND' });
    const posted = await askApp(app).post(path).set(identityHeader, token);
    expect(posted.status).toBe(405);
    expect(posted.headers.allow).toBe('GET, HEAD');
    expect((await askApp(app).get(path)).status).toBe(401);
    expect((await askApp(app).head(path).set(identityHeader, token)).status).toBe(200);
  });

  it('an unchanged history keeps its ETag while time goes on, and is 304; a new observation changes the ETag', async () => {
    const first = await get('?resolution=1m');
    const etag = first.headers.etag ?? '';
    expect(etag).toMatch(/^W\/"/);
    nowMs += 1_000;
    const again = await get('?resolution=1m').set('if-none-match', etag);
    expect(again.status).toBe(304);
    const revisions = mongoRevisions(mongo());
    await revisions.record(
      revisionOf(eventOf({ signal: 1, rev: 60, atMs: nowMs, mcap: 1_000, mcapAth: 1_059 })),
    );
    nowMs += 1_000;
    const changed = await get('?resolution=1m').set('if-none-match', etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
  });
});
