import { pause, seededRandom } from '@sigcast/runtime';
import { type Fate, modelRuns } from '@sigcast/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FeedEntry, FeedFilter, FeedSlice } from '../src/domain/feed.ts';
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

const storedEvents = () => f.collections.events.find({}, { sequence: 1 }).sort({ sequence: 1 }).lean();
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
const listedIds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => listedEvent(from + i).id);

it('a writer of the feed that takes itself for the only one gives no sequence number twice and skips none when another one was faster', async () => {
  const one = eventLog(f.collections, Date.now);
  const other = eventLog(f.collections, Date.now);
  for (const n of [1, 2, 3]) await one.append(listedEvent(n));
  for (const n of [4, 5, 6]) await other.append(listedEvent(n));
  await Promise.all([7, 8, 9].map((n) => one.append(listedEvent(n))));
  await other.append(listedEvent(10));
  expect((await storedEvents()).map(({ _id }) => _id)).toEqual(listedIds(1, 10));
  expect((await storedEvents()).map(({ sequence }) => sequence)).toEqual(upTo(10));
});

it('a writer of the feed that gets an event again, among new ones, gives sequence numbers to the new ones alone', async () => {
  const { append } = eventLog(f.collections, Date.now);
  for (const n of [1, 2, 3]) await append(listedEvent(n));
  const kept = await Promise.all([4, 2, 5, 5].map((n) => append(listedEvent(n))));
  expect(kept[1]).toBe('begun');
  expect((await storedEvents()).map(({ _id }) => _id)).toEqual(listedIds(1, 5));
  expect((await storedEvents()).map(({ sequence }) => sequence)).toEqual(upTo(5));
});

it('a writer of the feed that appends again after a month does not reuse the sequence numbers of deleted events', async () => {
  let nowMs = Date.now();
  const { append, saveLast } = eventLog(f.collections, () => nowMs);
  for (const n of [1, 2, 3]) await append(listedEvent(n));
  await saveLast();
  const other = eventLog(f.collections, () => nowMs);
  for (const n of [4, 5, 6]) await other.append(listedEvent(n));
  await other.saveLast();
  await f.collections.events.deleteMany({});
  nowMs += 31 * 86_400_000;
  await append(listedEvent(7));
  expect(await storedEvents()).toEqual([{ _id: listedEvent(7).id, sequence: 7 }]);
});

it('a writer of the feed saves the last sequence number before an event is acknowledged, also if its first worker died before', async () => {
  const last = async () => (await f.collections.feed.findById('last').lean())?.sequence;
  for (const n of [1, 2, 3]) await eventLog(f.collections, Date.now).append(listedEvent(n));
  await f.collections.events.updateOne({ _id: listedEvent(2).id }, { $set: { fanned_out: true } });
  const next = mongoFanOutStore(f.collections, Date.now);
  // The message of an event that is done is acknowledged at once.
  expect(await next.appendEvent(listedEvent(2))).toBe('done');
  expect(await last()).toBe(2);
  await next.appendEvent(listedEvent(4));
  await next.markFannedOut(listedEvent(4).id);
  expect(await last()).toBe(4);
});

const { numRuns, seed } = modelRuns(4);
it(`a writer of the feed that races others, is held up and loses answers between any two commands leaves a feed that no reader misses anything of (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const count = 150 * numRuns;
  const fates: readonly Fate[] = ['die', 'die halfway', ...Array<Fate>(10).fill('go on')];
  // Now and then a writer pauses for so long that others overtake it.
  const gate = async (): Promise<Fate> => {
    if (random() < 0.1) await pause(random() * 60);
    return fates[Math.floor(random() * fates.length)] ?? 'go on';
  };
  const numbers = Array.from({ length: count }, (_, n) => n);
  // The bytes of each writer differ, so that a second write would be seen.
  const write = async (writer: number) => {
    for (;;) {
      // Like another process, which knows nothing of the last appends.
      const { append } = eventLog(gatedModels(f.collections, gate), Date.now);
      for (let turn = 0; turn < 20; turn += 1) {
        const some = numbers.splice(0, 1 + Math.floor(random() * 4));
        if (some.length === 0) return;
        // Events that failed come again, as from the broker.
        await Promise.all(
          some.map((n) => append({ ...listedEvent(n), body: `${writer}` }).catch(() => numbers.push(n))),
        );
        await pause(random() * 5);
      }
    }
  };
  let done = false;
  const writing = Promise.all([0, 1, 2].map(write)).finally(() => {
    done = true;
  });
  const feed = mongoEventFeed(f.collections);
  /** Reads until the writers are done and nothing is left. */
  const follow = async (readOn: (after: number) => Promise<FeedSlice>): Promise<FeedEntry[]> => {
    const read: FeedEntry[] = [];
    let after = 0;
    for (;;) {
      const wasDone = done;
      const part = await readOn(after);
      read.push(...part.events);
      if (wasDone && part.upTo === after) return read;
      after = part.upTo;
    }
  };
  const list = (filter: FeedFilter) =>
    follow(async (after) => feed.read({ after, end: (await feed.bounds()).end, limit: 7 }, filter));
  const [tail, all, some] = await Promise.all([
    follow((after) => feed.readNew(after, 7)),
    list({}),
    list({ events: ['signal.winner', 'signal.dead'], types: ['30d', 'new'] }),
    writing,
  ]);
  const stored = await f.collections.events.find().sort({ sequence: 1 }).lean();
  expect(stored.map(({ sequence }) => sequence)).toEqual(upTo(count));
  const entries = stored.map(
    ({ sequence, _id: id, type, signal_type: signalType, body }): FeedEntry => ({
      sequence,
      id,
      type,
      signalType,
      body,
    }),
  );
  expect(tail).toEqual(entries);
  expect(all).toEqual(entries);
  expect(some).toEqual(
    entries.filter(({ type, signalType }) => /winner|dead/.test(type) && ['30d', 'new'].includes(signalType)),
  );
  expect(entries.map(({ id }) => id).sort()).toEqual(listedIds(0, count - 1));
});
