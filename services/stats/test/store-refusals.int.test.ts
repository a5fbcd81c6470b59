import { openAggregates } from '@sigcast/aggregates';
import { eventTopology } from '@sigcast/contracts';
import { eventMessage } from '@sigcast/messaging';
import { connectMongo } from '@sigcast/mongo';
import { silentLogger } from '@sigcast/runtime';
import { eventually, startScriptedMongo, testStack } from '@sigcast/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { recordFacts } from '../src/consumers/record-facts.ts';
import { factAggregates } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { eventOf, type Revision } from './events.ts';
import { openBroker } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('recording facts', () => {
  const stack = testStack();
  afterAll(() => stack[Symbol.asyncDispose]());

  const revision: Revision = {
    signal: 1,
    type: 'wallet',
    status: 'active',
    roi: 1_234,
    createdAtMs: Date.parse('2026-06-15T12:00:00Z'),
    rev: 1,
  };
  const writeError = (code: number) => ({
    ok: 1,
    n: 0,
    writeErrors: [{ index: 0, code, errmsg: 'refused' }],
  });

  it('parks no event for an error of the store, and acknowledges no event whose write a majority has not confirmed', async () => {
    await using scope = new AsyncDisposableStack();
    const server = scope.use(await startScriptedMongo());
    const uri = `mongodb://127.0.0.1:${server.port}/?directConnection=true`;
    const connection = await connectMongo({ uri, database: 'stats' }, silentLogger(), scope);
    const broker = await openBroker(stack, scope);
    const { exchange, stats } = eventTopology(stack.namespace);
    const queued = (queue: string) =>
      broker.withChannel(async (channel) => (await channel.get(queue, { noAck: true })) || undefined);
    const updates = () => server.commands.filter((command) => 'update' in command).length;

    const replies = [
      {
        ok: 1,
        n: 1,
        nModified: 1,
        writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' },
      },
      { ok: 0, code: 2, codeName: 'BadValue', errmsg: 'refused' },
      { ok: 0, code: 987_654, errmsg: 'nobody knows this code' },
      ...[9, 14, 112, 121, 14_031].map(writeError),
    ];
    const consumer = await recordFacts(
      broker,
      stats,
      mongoFacts(connection, openAggregates(connection, factAggregates)),
    );
    // An event for each reply, since the pauses between tries grow with each try.
    for (const [signal, reply] of replies.entries()) {
      const untried = updates();
      server.answer('update', reply);
      await broker.publish(eventMessage(exchange, eventOf({ ...revision, signal })));
      await eventually(() => expect(updates()).toBeGreaterThan(untried + 1));
      expect(await queued(stats.parked)).toBeUndefined();
      server.answer('update');
      const refused = updates();
      await eventually(() => expect(updates()).toBe(refused + 1));
    }
    await consumer.close();
    expect(await queued(stats.queue)).toBeUndefined();
    expect(await queued(stats.parked)).toBeUndefined();
  });
});
