import type { SignalEvent } from '@sigcast/contracts';
import type { Gate } from '@sigcast/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../src/domain/attempt-ports.ts';
import { type FanOutPorts, fanOut, recipientsPage } from '../src/domain/fan-out.ts';
import { mongoFanOutStore } from '../src/store/fan-out-store.ts';
import { atOnce } from '../src/store/lane-store.ts';
import { deliveryId } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { gatedModels } from './gated-models.ts';

let f: Fixture;
beforeEach(async () => {
  f = await fixture();
});
afterEach(() => f[Symbol.asyncDispose]());

/** A worker's fan-out, which has slots for first attempts to the subscriptions in `room`, and the attempts that it has begun. */
function fanOutOf(
  worker: string,
  room: readonly string[],
  { gate, ...replaced }: Partial<FanOutPorts> & { gate?: Gate } = {},
) {
  const started: ClaimedDelivery[] = [];
  const collections = gate ? gatedModels(f.collections, gate) : f.collections;
  const ports: FanOutPorts = {
    ...mongoFanOutStore(collections, { now: Date.now, worker: () => worker }),
    ...replaced,
    deliveryId,
    scheduler: {
      tryReserve: ({ id }) => room.includes(id),
      free: () => undefined,
      start: (claimed) => void started.push(claimed),
      hasSlot: (id) => started.some(({ delivery }) => delivery.id === id),
      notifyDue: () => false,
    },
  };
  return { started, handle: (event: SignalEvent) => fanOut(event, ports) };
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
  const [begun = '', waits = ''] = await subscribed(2);
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
      const dying = fanOutOf('wrk_1', [begun], {
        gate: async () => {
          passed += 1;
          return passed > killAt ? fate : 'go on';
        },
      });
      const ends = await Promise.allSettled(events.map((event) => dying.handle(event)));
      if (ends.every(({ status }) => status === 'fulfilled')) gates = killAt;

      // Another worker handles the events next; the dead worker's leases are released later.
      const next = fanOutOf('wrk_2', [begun]);
      await Promise.all(events.map((event) => next.handle(event)));
      const sequences = (await f.collections.events.find().sort({ seq: 1 }).lean()).map(({ seq }) => seq);
      const first = sequences[0] ?? Number.NaN;
      expect(sequences).toEqual(events.map((_, n) => first + n));
      expect(await f.collections.events.countDocuments({ fanned_out: true })).toBe(events.length);
      expect((await f.collections.feed.findOne().lean())?.seq).toBe(sequences.at(-1));
      const made = await stored();
      expect(made.map(({ _id }) => _id)).toEqual(idsFor(events, [begun, waits]));
      const toBegin = made.filter(({ lease }) => lease === null);
      for (const id of new Set(toBegin.map(({ subscription }) => subscription))) {
        expect((await f.collections.subscriptions.findById(id).lean())?.due_at).toEqual(atOnce);
      }
      // Each delivery under a lease of the second worker has been begun by one of the two, and by one alone.
      const inHand = [...dying.started, ...next.started].map(({ delivery }) => delivery.id);
      expect(new Set(inHand).size).toBe(inHand.length);
      for (const { lease, _id } of made) {
        if (lease?.worker === 'wrk_2') expect(inHand).toContain(_id);
      }
    }
  }
  expect(gates).toBeGreaterThan(8);
});

it('an event whose deliveries cannot be made holds up none that came with it', async () => {
  const [begun = '', waits = ''] = await subscribed(2);
  const store = mongoFanOutStore(f.collections, { now: Date.now, worker: () => 'wrk_1' });
  const bad = signalEvent();
  const good = Array.from({ length: 5 }, () => signalEvent());
  const { started, handle } = fanOutOf('wrk_1', [begun], {
    // More than a document may have.
    openDeliveries: (event, ...rest) =>
      store.openDeliveries(
        event.id === bad.id ? { ...event, signalId: 'x'.repeat(17 * 1024 * 1024) } : event,
        ...rest,
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
  expect((await stored()).map(({ _id }) => _id)).toEqual(idsFor(good, [begun, waits]));
  expect(await f.collections.events.countDocuments({ fanned_out: true })).toBe(good.length);
  const inHand = started.map(({ delivery }) => delivery.id).sort();
  expect((await stored()).filter(({ lease }) => lease !== null).map(({ _id }) => _id)).toEqual(inHand);
});

it('a delivery that another worker was first to make is left to it, and those made by the same command are begun', async () => {
  const [begun = '', waits = ''] = await subscribed(2);
  const events = Array.from({ length: 3 }, () => signalEvent());
  const open = (worker: string, some: readonly SignalEvent[]) => {
    const { openDeliveries, matching } = mongoFanOutStore(f.collections, {
      now: Date.now,
      worker: () => worker,
    });
    return Promise.all(
      some.map(async ({ id, data }) => {
        const recipients = await matching('signal.new', 'new', '');
        const event = { id, type: 'signal.new', signalId: data.id, body: '{}', redelivered: false } as const;
        const claimed = await openDeliveries(event, recipients, new Set([deliveryId(id, begun)]));
        return claimed.map(({ delivery }) => delivery.id);
      }),
    );
  };
  const [first, second, third] = events;
  await open('wrk_1', second ? [second] : []);
  expect(await open('wrk_2', events)).toEqual([
    [deliveryId(first?.id ?? '', begun)],
    [],
    [deliveryId(third?.id ?? '', begun)],
  ]);
  const made = await stored();
  expect(made.map(({ _id }) => _id)).toEqual(idsFor(events, [begun, waits]));
  expect(made.find(({ _id }) => _id === deliveryId(second?.id ?? '', begun))?.lease?.worker).toBe('wrk_1');
});

it('the subscriptions to an event are read in bounded pages, each with one delivery, and without their secrets', async () => {
  const [first = ''] = await subscribed(1);
  const { _id, ...one } = (await f.collections.subscriptions.findById(first).lean()) ?? {};
  const copies = Array.from({ length: recipientsPage }, (_, n) => ({
    ...one,
    _id: `wh_copy_${n}`,
    account: `acct_${n}`,
  }));
  await f.collections.subscriptions.collection.insertMany(copies as never[]);
  const pages: string[][] = [];
  const { matching } = mongoFanOutStore(f.collections, { now: Date.now, worker: () => 'wrk_1' });
  const event = signalEvent();
  const { handle } = fanOutOf('wrk_1', [], {
    matching: async (...asked) => {
      const page = await matching(...asked);
      expect(JSON.stringify(page)).not.toContain('whsec_');
      pages.push(page.map(({ id }) => id));
      return page;
    },
  });
  expect(await handle(event)).toBe(recipientsPage + 1);
  expect(pages.map(({ length }) => length)).toEqual([recipientsPage, 1]);
  expect((await stored()).map((delivery) => delivery._id)).toEqual(idsFor([event], pages.flat()));
});
