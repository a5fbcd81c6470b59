import { eventTopology, type SignalEvent, unavailable } from '@sigcast/contracts';
import { type Broker, eventMessage } from '@sigcast/messaging';
import { eventually, type TestStack, testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordObservations } from '../src/consumers/record-observations.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { createdMs, eventOf, signalId } from './events.ts';
import { openBroker, openMongo, storedObservations, storedSignal } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const minuteMs = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const first = eventOf({ signal: 1, rev: 1, atMs: createdMs, mcap: 1_000 });
const second = eventOf({
  signal: 1,
  rev: 2,
  atMs: createdMs + minuteMs,
  mcap: 2_100,
  liquidity: 800,
  change: { observed_at: iso(createdMs + minuteMs), source: 'tracker' },
});
const winner = eventOf({
  signal: 1,
  rev: 3,
  atMs: createdMs + 11 * minuteMs,
  mcap: 2_500,
  status: 'winner',
  getsStatus: true,
  change: {
    observed_at: iso(createdMs + 11 * minuteMs),
    source: 'tracker',
    evidence: { rule: 'v1', observations: [iso(createdMs + minuteMs), iso(createdMs + 11 * minuteMs)] },
  },
});
const after = eventOf({
  signal: 1,
  rev: 4,
  atMs: createdMs + 20 * minuteMs,
  mcap: 2_000,
  status: 'winner',
  mcapAth: 2_500,
  athHours: 0.18,
});

describe('recording observations', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  let broker: Broker;
  const allStacks: TestStack[] = [];

  beforeEach(async () => {
    stack = testStack();
    allStacks.push(stack);
    resources = new AsyncDisposableStack();
    connection = await openMongo(stack, resources, stack.database('tracker'));
    broker = await openBroker(stack, resources);
  });
  afterEach(() => resources.disposeAsync());
  afterAll(async () => {
    for (const each of allStacks) await each[Symbol.asyncDispose]();
  });

  const topology = () => eventTopology(stack.namespace);
  const publish = (event: SignalEvent, priority: 'live' | 'bulk' = 'live') =>
    broker.publish(eventMessage(topology().exchange, event, priority));

  it('stores one observation for each revision and the signal as of the highest one, under duplicates and in any order', async () => {
    const knownAt = new Date('2026-03-02T09:00:00Z');
    await recordObservations(broker, topology().tracker, {
      revisions: mongoRevisions(connection, () => knownAt),
    });
    for (const event of [winner, first, after, second, winner, first, after]) await publish(event);
    await eventually(async () => expect(await storedObservations(connection, signalId(1))).toHaveLength(4));
    expect(await storedObservations(connection, signalId(1))).toEqual([
      {
        _id: `${signalId(1)}:000001`,
        at: new Date(createdMs),
        recorded_at: new Date(first.occurred_at),
        known_at: knownAt,
        mcap_ath: 1_000,
        ath_hours: 0,
        mcap: 1_000,
        liquidity: 500,
        volume: 11,
        holders: 21,
        source: 'producer',
        status: 'active',
      },
      {
        _id: `${signalId(1)}:000002`,
        at: new Date(createdMs + minuteMs),
        recorded_at: new Date(second.occurred_at),
        known_at: knownAt,
        mcap_ath: 2_100,
        ath_hours: 0,
        mcap: 2_100,
        liquidity: 800,
        volume: 12,
        holders: 22,
        source: 'tracker',
      },
      {
        _id: `${signalId(1)}:000003`,
        at: new Date(createdMs + 11 * minuteMs),
        recorded_at: new Date(winner.occurred_at),
        known_at: knownAt,
        mcap_ath: 2_500,
        ath_hours: 0,
        mcap: 2_500,
        liquidity: 500,
        volume: 13,
        holders: 23,
        source: 'tracker',
        status: 'winner',
        evidence: {
          rule: 'v1',
          observations: [new Date(createdMs + minuteMs), new Date(createdMs + 11 * minuteMs)],
        },
      },
      {
        _id: `${signalId(1)}:000004`,
        at: new Date(createdMs + 20 * minuteMs),
        recorded_at: new Date(after.occurred_at),
        known_at: knownAt,
        mcap_ath: 2_500,
        ath_hours: 0.18,
        mcap: 2_000,
        liquidity: 500,
        volume: 14,
        holders: 24,
        source: 'producer',
      },
    ]);
    await eventually(async () =>
      expect(await storedSignal(connection, signalId(1))).toMatchObject({ oldest_rev: 1 }),
    );
    expect(await storedSignal(connection, signalId(1))).toEqual({
      _id: signalId(1),
      rev: 4,
      oldest_rev: 1,
      contract: '0x1',
      status: 'winner',
      created_at: new Date(createdMs),
      mcap_entry: 1_000,
      liquidity_entry: 500,
      mcap_ath: 2_500,
      ath_hours: 0.18,
      type: 'new',
      is_premium: false,
      symbol_key: 'NOVA',
      contract_key: '0x1',
      token: first.data.token,
      known_at: knownAt,
      status_known_at: { winner: knownAt },
      revs_known: { d20514: 4 },
      thin_at: new Date('2026-04-01T00:00:00Z'),
      due_at: expect.any(Date),
    });
  });

  it('follows a new signal at once, and no longer once its status is final', async () => {
    const revisions = mongoRevisions(connection);
    await recordObservations(broker, topology().tracker, { revisions });
    const before = Date.now();
    await publish(first);
    const followed = await eventually(async () => {
      const found = await storedSignal(connection, signalId(1));
      if (!found) throw new Error('not recorded yet');
      return found;
    });
    expect(Math.abs((followed.due_at?.getTime() ?? 0) - before)).toBeLessThan(minuteMs);
    const held = { lease: 'a', state: { seen: 1 }, position: { newest: 1 }, pending: { mcap: 1 } };
    await connection.collection('tracked').updateOne({ _id: signalId(1) as never }, { $set: held });
    await publish(second);
    await eventually(async () =>
      expect(await storedSignal(connection, signalId(1))).toMatchObject({ rev: 2 }),
    );
    expect(await storedSignal(connection, signalId(1))).toMatchObject({ ...held, due_at: followed.due_at });
    await publish(
      eventOf({
        signal: 1,
        rev: 3,
        atMs: createdMs + 2 * minuteMs,
        mcap: 5,
        status: 'rugged',
        getsStatus: true,
      }),
    );
    await eventually(async () =>
      expect(await storedSignal(connection, signalId(1))).toMatchObject({ rev: 3 }),
    );
    const over = await storedSignal(connection, signalId(1));
    for (const field of ['due_at', ...Object.keys(held)]) expect(over).not.toHaveProperty(field);

    await publish(eventOf({ signal: 2, rev: 7, atMs: createdMs, mcap: 5, status: 'dead', getsStatus: true }));
    await publish(eventOf({ signal: 2, rev: 1, atMs: createdMs, mcap: 1_000 }));
    await eventually(async () =>
      expect(await storedSignal(connection, signalId(2))).toMatchObject({ oldest_rev: 1 }),
    );
    expect(await storedSignal(connection, signalId(2))).not.toHaveProperty('due_at');
  });

  it('tries an event again until its observation is stored', async () => {
    const revisions = mongoRevisions(connection);
    let tries = 0;
    const record: typeof revisions.record = async (revision) => {
      tries += 1;
      if (tries < 3) throw unavailable('The data store');
      return revisions.record(revision);
    };
    await recordObservations(broker, topology().tracker, { revisions: { ...revisions, record } });
    await publish(first);
    await eventually(async () => expect(await storedSignal(connection, signalId(1))).toBeDefined());
    expect(tries).toBe(3);
  });

  it('records the observation of an event of a type it does not know, with members it does not know, and parks one of an unknown version', async () => {
    const { exchange, tracker } = topology();
    await recordObservations(broker, tracker, { revisions: mongoRevisions(connection) });
    const send = (event: object, messageId: string) =>
      broker.publish({
        exchange,
        routingKey: 'signal.paused',
        messageId,
        body: Buffer.from(JSON.stringify(event)),
      });
    const { data } = second;
    await send(
      { ...second, type: 'signal.paused', more: 1, data: { ...data, more: { of: 'z' } } },
      'evt_newer',
    );
    await send({ ...first, version: 2 }, 'evt_future');
    await eventually(async () =>
      expect(await storedObservations(connection, signalId(1))).toMatchObject([{ mcap: 2_100 }]),
    );
    const [observation] = await storedObservations(connection, signalId(1));
    expect(observation).not.toHaveProperty('status');
    const parked = await eventually(() =>
      broker.withChannel(async (channel) => {
        const message = await channel.get(tracker.parked, { noAck: true });
        if (message === false) throw new Error('not parked yet');
        return message;
      }),
    );
    expect(parked.properties).toMatchObject({
      messageId: 'evt_future',
      headers: { 'sigcast-reason': expect.stringContaining('version') },
    });
  });
});
