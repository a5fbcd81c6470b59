import { createBacktestSchema, identityHeader } from '@sigcast/contracts';
import { identitySigner, serve } from '@sigcast/http';
import { newId, silentLogger } from '@sigcast/runtime';
import { expectationsOf, type Given, type TestStack, testKeyPair, testStack, unmet } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toParameters } from '../src/domain/backtest/parameters.ts';
import { revisionOf } from '../src/domain/revision.ts';
import { backtestsCollection } from '../src/store/backtest-document.ts';
import { mongoBacktests } from '../src/store/mongo-backtests.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { createdMs, eventOf, signalId } from './events.ts';
import { appOver, openMongo } from './fixture.ts';

describe('the tracker', () => {
  const keys = testKeyPair();
  const token = identitySigner(
    'gateway',
    keys.privateKey,
    'tracker',
  )({ subject: 'acct_1', scopes: [], ttlS: 600 });
  const asked = createBacktestSchema.parse({
    filters: { since: '2026-03-01' },
    as_of: '2026-03-01T13:00:00Z',
  });
  const backtest = {
    ...{ id: newId('bt'), account: 'acct_1', status: 'queued' as const, done: 0, total: 1 },
    ...{ parameters: toParameters(asked, new Date()), createdAt: new Date() },
  };
  const given: Given = {
    credentials: { account: { [identityHeader]: token } },
    values: { signal_id: signalId(1), backtest_id: backtest.id },
  };
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let baseUrl: string;
  let connection: Connection;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    connection = await openMongo(stack, resources, stack.database('tracker'));
    const app = appOver(connection, {
      gatewayKey: keys.publicKey,
      now: () => new Date(createdMs + 2 * 3_600_000),
    });
    const revisions = mongoRevisions(connection, () => new Date(createdMs + 60_000));
    await revisions.record(revisionOf(eventOf({ signal: 1, rev: 1, atMs: createdMs, mcap: 1_000 })));
    const dead = {
      signal: 1,
      rev: 2,
      atMs: createdMs + 60_000,
      mcap: 1,
      status: 'dead',
      getsStatus: true,
    } as const;
    await revisions.record(revisionOf(eventOf(dead)));
    baseUrl = await serve(app, { host: '127.0.0.1', port: 0 }, silentLogger(), resources);
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  it.each(expectationsOf('tracker'))('keeps what $consumer expects of $asks as $as', async (expectation) => {
    await connection.collection(backtestsCollection).deleteMany({});
    await mongoBacktests(connection).insert(backtest, undefined);
    expect(await unmet(baseUrl, expectation, given)).toEqual([]);
  });
});
