import { openAggregates } from '@sigcast/aggregates';
import { identityHeader } from '@sigcast/contracts';
import { identitySigner, identityVerifier, serve } from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { expectationsOf, type Given, type TestStack, testKeyPair, testStack, unmet } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import { openMongo } from './fixture.ts';

describe('the stats service', () => {
  const keys = testKeyPair();
  const token = identitySigner(
    'gateway',
    keys.privateKey,
    'stats',
  )({ subject: 'acct_1', scopes: [], ttlS: 600 });
  const given: Given = { credentials: { account: { [identityHeader]: token } }, values: {} };
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let baseUrl: string;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    const connection = await openMongo(stack, resources, stack.database('stats'));
    const app = createApp({
      store: aggregateStatistics(openAggregates(connection, factAggregates), { fresh: true }),
      verifyGateway: identityVerifier('gateway', keys.publicKey, 'stats'),
      checks: {},
      reportedChecks: {},
      log: silentLogger(),
    });
    baseUrl = await serve(app, { host: '127.0.0.1', port: 0 }, silentLogger(), resources);
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  it.each(expectationsOf('stats'))('keeps what $consumer expects of $asks as $as', async (expectation) => {
    expect(await unmet(baseUrl, expectation, given)).toEqual([]);
  });
});
