import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pause, seededRandom } from '@sigcast/runtime';
import type { Fate } from '@sigcast/testing';
import { mongoEventFeed } from '../src/store/event-feed.ts';
import { eventLog } from '../src/store/event-log.ts';
import { mongoFanOutStore } from '../src/store/fan-out-store.ts';
import { type Fixture, fixture } from './fixture.ts';
import { listedEvent } from './fixtures/listed-event.ts';
import { gatedModels } from './gated-models.ts';

let f: Fixture;
beforeEach(async () => {
  f = await fixture();
});
afterEach(() => f[Symbol.asyncDispose]());

const placed = () => f.collections.events.find({}, { seq: 1 }).sort({ seq: 1 }).lean();
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
const listedIds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => listedEvent(from + i).id);

describe('a writer of the feed', () => {
  it('that takes itself for the only one gives no place twice and leaves none out when another one was faster', async () => {
    const one = eventLog(f.collections, Date.now);
    const other = eventLog(f.collections, Date.now);
    for (const n of [1, 2, 3]) await one.keep(listedEvent(n));
    for (const n of [4, 5, 6]) await other.keep(listedEvent(n));
    await Promise.all([7, 8, 9].map((n) => one.keep(listedEvent(n))));
    await other.keep(listedEvent(10));
    expect((await placed()).map(({ _id }) => _id)).toEqual(listedIds(1, 10));
    expect((await placed()).map(({ seq }) => seq)).toEqual(upTo(10));
  });

  it('that hears of an event again, among new ones, gives places to these alone', async () => {
    const { keep } = eventLog(f.collections, Date.now);
    for (const n of [1, 2, 3]) await keep(listedEvent(n));
    const kept = await Promise.all([4, 2, 5, 5].map((n) => keep(listedEvent(n))));
    expect(kept[1]).toBe('begun');
    expect((await placed()).map(({ _id }) => _id)).toEqual(listedIds(1, 5));
    expect((await placed()).map(({ seq }) => seq)).toEqual(upTo(5));
  });

  it('that comes back after a month, when the places after its own were given and are free again, gives none of them', async () => {
    let nowMs = Date.now();
    const { keep, note } = eventLog(f.collections, () => nowMs);
    for (const n of [1, 2, 3]) await keep(listedEvent(n));
    await note();
    const other = eventLog(f.collections, () => nowMs);
    for (const n of [4, 5, 6]) await other.keep(listedEvent(n));
    await other.note();
    await f.collections.events.deleteMany({});
    nowMs += 31 * 86_400_000;
    await keep(listedEvent(7));
    expect(await placed()).toEqual([{ _id: listedEvent(7).id, seq: 7 }]);
  });

  it('has the place of each event noted before the event is acknowledged, also if its first worker died before the note', async () => {
    const last = async () => (await f.collections.feed.findById('last').lean())?.seq;
    for (const n of [1, 2, 3]) await eventLog(f.collections, Date.now).keep(listedEvent(n));
    await f.collections.events.updateOne({ _id: listedEvent(2).id }, { $set: { fanned_out: true } });
    const next = mongoFanOutStore(f.collections, { now: Date.now, worker: () => 'wrk_1' });
    // Acknowledged as it is.
    expect(await next.keepEvent(listedEvent(2))).toBe('done');
    expect(await last()).toBe(2);
    await next.keepEvent(listedEvent(4));
    await next.finish(listedEvent(4).id);
    expect(await last()).toBe(4);
  });

  const seed = Math.floor(Math.random() * 1_000_000);
  it(`that races others, is held up and loses answers between any two commands leaves a feed that no reader misses anything of (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const count = 150;
    const fates: readonly Fate[] = ['die', 'die halfway', ...Array<Fate>(10).fill('go on')];
    // Now and then a writer stands still for so long that others get on.
    const gate = async (): Promise<Fate> => {
      if (random() < 0.1) await pause(random() * 60);
      return fates[Math.floor(random() * fates.length)] ?? 'go on';
    };
    const numbers = Array.from({ length: count }, (_, n) => n);
    const write = async () => {
      for (;;) {
        // As if it were another process, with what it knows of nobody's.
        const { keep } = eventLog(gatedModels(f.collections, gate), Date.now);
        for (let turn = 0; turn < 20; turn += 1) {
          const some = numbers.splice(0, 1 + Math.floor(random() * 4));
          if (some.length === 0) return;
          // What failed comes again, as the broker brings it.
          await Promise.all(some.map((n) => keep(listedEvent(n)).catch(() => numbers.push(n))));
          await pause(random() * 5);
        }
      }
    };
    let done = false;
    const writing = Promise.all(Array.from({ length: 3 }, write)).finally(() => {
      done = true;
    });
    const feed = mongoEventFeed(f.collections);
    const read: string[] = [];
    let after = 0;
    for (let wasDone = false; !wasDone; ) {
      wasDone = done;
      const part = await feed.readNew(after, 1_000);
      read.push(...part.events.map(({ id }) => id));
      after = part.upTo;
    }
    await writing;
    const stored = await placed();
    expect(stored.map(({ seq }) => seq)).toEqual(upTo(count));
    expect(read).toEqual(stored.map(({ _id }) => _id));
    expect([...read].sort()).toEqual(listedIds(0, count - 1));
  });
});
