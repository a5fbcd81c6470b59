import { openAggregates } from '@sigcast/aggregates';
import { ensureIndexes } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import { type Connection, createConnection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewRecord, SignalStore } from '../src/domain/ports.ts';
import { signalEvent } from '../src/domain/signal.ts';
import type { Outbox } from '../src/relay/outbox.ts';
import { mongoOutbox } from '../src/store/mongo-outbox.ts';
import {
  type SignalModel,
  signalAggregates,
  signalIndexes,
  signalModel,
  signalsCollection,
} from '../src/store/signal-document.ts';
import { mongoSignalStore } from '../src/store/signal-store.ts';
import { openStack } from './fixture.ts';
import { sampleSignal } from './samples.ts';

const now = new Date('2026-06-01T00:00:00Z');
const origin = () => ({ id: newId('evt'), source: 'producer' as const });

describe('the cost of many signals', () => {
  const { stack, close } = openStack();
  let connection: Connection;
  let model: SignalModel;
  let store: SignalStore;
  let outbox: Outbox;
  const commands: string[] = [];

  beforeAll(async () => {
    const options = { dbName: stack.database('signals'), monitorCommands: true };
    connection = await createConnection(stack.mongodbUri, options).asPromise();
    await ensureIndexes(connection, signalsCollection, signalIndexes);
    model = signalModel(connection);
    store = mongoSignalStore(model, openAggregates(connection, signalAggregates));
    outbox = mongoOutbox(model);
    connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
  });
  afterAll(async () => {
    await connection.close();
    await close();
  });

  /** A new signal with its event. */
  const record = (key?: string): NewRecord => {
    const signal = { ...sampleSignal(now), id: newId('sig') };
    const event = signalEvent('signal.new', signal, origin());
    return { signal, event, ...(key && { idempotency: { key, hash: 'hash', at: now } }) };
  };
  const inserted = async (records: readonly NewRecord[]) => {
    await store.insert(records);
    return records.map(({ signal, event }) => ({
      id: signal.id,
      rev: 1,
      events: [event],
      priority: 'live' as const,
    }));
  };
  const change = async ({ signal }: NewRecord) => {
    const changed = { ...signal, rev: 2, status: 'winner' as const };
    const event = signalEvent('signal.winner', changed, origin());
    expect(await store.replace([{ signal: changed, event }])).toBe(1);
    return event;
  };

  it('100 observations in one request cost one read and one write', async () => {
    const records = Array.from({ length: 100 }, () => record());
    await inserted(records);
    commands.length = 0;
    const stored = await store.findAll(records.map(({ signal }) => signal.id));
    const written = await store.replace(
      [...stored.values()].map(({ signal }) => {
        const changed = { ...signal, rev: 2 };
        return { signal: changed, event: signalEvent('signal.updated', changed, origin()) };
      }),
    );
    expect([written, commands]).toEqual([100, ['find', 'update']]);
  });

  it('signals that are created at the same time are written together, and each gets its own answer', async () => {
    await store.insert([record('taken')]);
    const records = [
      record(),
      record('taken'),
      record('free'),
      ...Array.from({ length: 27 }, () => record()),
    ];
    commands.length = 0;
    const taken = await Promise.all(records.map((each) => store.insert([each])));
    expect(commands).toEqual(['insert']);
    expect(taken.map(({ size }) => size)).toEqual(records.map((_, at) => (at === 1 ? 1 : 0)));
    const found = await Promise.all(records.map(({ signal }) => store.find(signal.id)));
    expect(found.map((each) => each !== undefined)).toEqual(records.map((_, at) => at !== 1));
  });

  it('published events of many signals are removed by one command, and by two when some signals changed or were refused', async () => {
    const records = Array.from({ length: 40 }, () => record());
    const [changed, partly, refused] = records as [NewRecord, NewRecord, NewRecord];
    const pending = await inserted(records);
    const winner = await change(changed);
    const second = await change(partly);
    commands.length = 0;
    await outbox.removePublished(
      pending.map((each) => {
        if (each.id === partly.signal.id)
          return { ...each, rev: 2, events: [partly.event, second], relayedCount: 1 };
        return { ...each, relayedCount: each.id === refused.signal.id ? 0 : 1 };
      }),
    );
    expect(commands).toEqual(['update', 'update']);

    const ids = pending.map(({ id }) => id);
    const left = await model.find({ _id: { $in: ids }, relay_due_at: { $exists: true } }).lean();
    expect(new Map(left.map((each) => [each._id, each.outbox]))).toEqual(
      new Map([
        [changed.signal.id, [winner]],
        [partly.signal.id, [second]],
        [refused.signal.id, [refused.event]],
      ]),
    );
    const emptied = await model.countDocuments({ _id: { $in: ids }, outbox: { $size: 0 } });
    expect(emptied).toBe(records.length - left.length);
  });
});
