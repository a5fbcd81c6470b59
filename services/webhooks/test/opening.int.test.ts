import type { SignalEvent } from '@sigcast/contracts';
import type { Gate } from '@sigcast/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventFilter } from '../src/domain/event-filter.ts';
import { candidatesPage, type FanOutPorts, fanOut } from '../src/domain/fan-out.ts';
import { mongoFanOutStore } from '../src/store/fan-out-store.ts';
import { atOnce, mongoLaneStore } from '../src/store/lane-store.ts';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { gatedModels } from './gated-models.ts';

let f: Fixture;
beforeEach(async () => {
  f = await fixture();
});
afterEach(() => f[Symbol.asyncDispose]());

/** A fan-out that leaves all deliveries to other workers. */
function fanOutOf({ gate, ...replaced }: Partial<FanOutPorts> & { gate?: Gate } = {}) {
  const collections = gate ? gatedModels(f.collections, gate) : f.collections;
  const lanes = mongoLaneStore(collections, Date.now);
  const ports: FanOutPorts = {
    ...mongoFanOutStore(collections, Date.now),
    meets: eventFilter(),
    notify: (opened) => lanes.markDue(opened.map(({ recipient }) => recipient.id)),
    ...replaced,
  };
  return (event: SignalEvent) => fanOut(event, ports);
}

const stored = () => f.collections.deliveries.find().sort({ _id: 1 }).lean();
const idsFor = (events: readonly SignalEvent[], subscriptions: readonly string[]) =>
  events.flatMap(({ id }) => subscriptions.map((subscription) => deliveryId(id, subscription))).sort();
async function subscribed(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push((await f.subscribe(`/hook-${n}`)).id);
  // Nothing is due, so that a mark shows.
  await f.collections.subscriptions.updateMany({}, { $set: { due_at: new Date(Date.now() + 600_000) } });
  return made;
}

it('events whose worker is killed between any two commands of their fan-out have one sequence number and one delivery a subscriber when they come again, and none waits unmarked', async () => {
  const subscriptions = await subscribed(2);
  let gates = Number.POSITIVE_INFINITY;
  for (let killAt = 0; killAt < gates; killAt += 1) {
    for (const fate of ['die', 'die halfway'] as const) {
      await Promise.all([
        f.collections.events.deleteMany({}),
        f.collections.deliveries.deleteMany({}),
        f.collections.subscriptions.updateMany({}, { $set: { due_at: new Date(Date.now() + 600_000) } }),
      ]);
      const events = Array.from({ length: 4 }, () => signalEvent());
      let passed = 0;
      const dying = fanOutOf({
        gate: async () => {
          passed += 1;
          return passed > killAt ? fate : 'go on';
        },
      });
      const ends = await Promise.allSettled(events.map(dying));
      if (ends.every(({ status }) => status === 'fulfilled')) gates = killAt;

      // Another worker handles the events next.
      await Promise.all(events.map(fanOutOf()));
      const sequences = (await f.collections.events.find().sort({ sequence: 1 }).lean()).map(
        ({ sequence }) => sequence,
      );
      const first = sequences[0] ?? Number.NaN;
      expect(sequences).toEqual(events.map((_, n) => first + n));
      expect(await f.collections.events.countDocuments({ fanned_out: true })).toBe(events.length);
      expect((await f.collections.feed.findOne().lean())?.sequence).toBe(sequences.at(-1));
      const made = await stored();
      expect(made.map(({ _id }) => _id)).toEqual(idsFor(events, subscriptions));
      expect(made.filter(({ lease }) => lease !== null)).toEqual([]);
      const marked = await f.collections.subscriptions.find({ due_at: atOnce }, { _id: 1 }).lean();
      expect(marked.map(({ _id }) => _id).sort()).toEqual(subscriptions.toSorted());
    }
  }
  expect(gates).toBeGreaterThan(6);
});

it('an event that comes again once its deliveries are made gets none for a subscription made since', async () => {
  await subscribed(1);
  const event = signalEvent();
  expect(await fanOutOf()(event)).toBe(1);
  await f.subscribe('/newer');
  expect(await fanOutOf()(event)).toBeUndefined();
  expect(await stored()).toHaveLength(1);
});

it('an event whose deliveries cannot be made holds up none that came with it', async () => {
  const subscriptions = await subscribed(2);
  const store = mongoFanOutStore(f.collections, Date.now);
  const bad = signalEvent();
  const good = Array.from({ length: 5 }, () => signalEvent());
  const handle = fanOutOf({
    // More than a document may have.
    openDeliveries: (event, recipients) =>
      store.openDeliveries(
        event.id === bad.id ? { ...event, signalId: 'x'.repeat(17 * 1024 * 1024) } : event,
        recipients,
      ),
  });
  const handleAll = async (events: readonly SignalEvent[]) => {
    const ends = await Promise.allSettled(events.map(handle));
    return events.filter((_, n) => ends[n]?.status === 'rejected');
  };
  // Events in one command with the bad one fail. When they come again, only the bad one fails, however often it comes.
  let failed = await handleAll([bad, ...good]);
  expect(failed).toContain(bad);
  for (let again = 0; again < 2; again += 1) {
    failed = await handleAll(failed);
    expect(failed).toEqual([bad]);
  }
  expect((await stored()).map(({ _id }) => _id)).toEqual(idsFor(good, subscriptions));
  expect(await f.collections.events.countDocuments({ fanned_out: true })).toBe(good.length);
});

it('a delivery that another worker was first to make stays as it is, and its event makes the others', async () => {
  const subscriptions = await subscribed(2);
  const event = signalEvent();
  await fanOutOf()(event);
  const lease = { worker: 'wrk_1', token: 't', started_at: new Date() };
  const [{ _id: first } = { _id: '' }] = await stored();
  await f.collections.deliveries.updateOne({ _id: first }, { $set: { lease } });
  await f.collections.deliveries.deleteOne({ _id: { $ne: first } });
  await f.collections.events.updateOne({ _id: event.id }, { $unset: { fanned_out: '' } });
  await fanOutOf()(event);
  const made = await stored();
  expect(made.map(({ _id }) => _id)).toEqual(idsFor([event], subscriptions));
  expect(made.map(({ lease: held }) => held?.worker)).toEqual(['wrk_1', undefined]);
  const { matching, openDeliveries } = mongoFanOutStore(f.collections, Date.now);
  const recipients = await matching('signal.new', 'new', '');
  const again = {
    id: event.id,
    type: 'signal.new',
    signalId: event.data.id,
    symbol: event.data.token.symbol,
    body: '{}',
    redelivered: true,
  } as const;
  expect(await openDeliveries(again, recipients)).toEqual(recipients.map((recipient) => ({ recipient })));
});

it('the subscriptions to an event are read in bounded pages, each with one delivery, and without their secrets', async () => {
  const [first = ''] = await subscribed(1);
  const { _id, ...one } = (await f.collections.subscriptions.findById(first).lean()) ?? {};
  const copies = Array.from({ length: candidatesPage }, (_, n) => ({
    ...one,
    _id: `wh_copy_${n}`,
    account: `acct_${n}`,
  }));
  await f.collections.subscriptions.collection.insertMany(copies as never[]);
  const pages: string[][] = [];
  const { matching } = mongoFanOutStore(f.collections, Date.now);
  const event = signalEvent();
  const handle = fanOutOf({
    matching: async (...asked) => {
      const page = await matching(...asked);
      expect(JSON.stringify(page)).not.toContain('whsec_');
      pages.push(page.map(({ id }) => id));
      return page;
    },
  });
  expect(await handle(event)).toBe(candidatesPage + 1);
  expect(pages.map(({ length }) => length)).toEqual([candidatesPage, 1]);
  expect((await stored()).map((delivery) => delivery._id)).toEqual(idsFor([event], pages.flat()));
});
