import { type SignalAtEvent, sampleOf, signalAtEventSchema } from '@sigcast/contracts';
import { expect, it, vi } from 'vitest';
import { eventFilter } from '../src/domain/event-filter.ts';
import { type EventFeed, type FeedEntry, type FeedOrder, readMeeting } from '../src/domain/feed.ts';

const entry = (sequence: number): FeedEntry => ({
  sequence,
  id: `evt_${sequence}`,
  type: 'signal.new',
  signalType: 'new',
  body: JSON.stringify({ data: { id: String(sequence) } }),
});

/** A feed of this many events, and how many each read gave. */
function feedOf(count: number) {
  const all = Array.from({ length: count }, (_, n) => entry(n + 1));
  const reads: number[] = [];
  const read: EventFeed['read'] = async ({ after, end, limit, order }) => {
    const part = all.slice(after, end);
    const events = (order === 'desc' ? part.toReversed() : part).slice(0, limit);
    reads.push(events.length);
    const last = events.at(-1)?.sequence;
    if (events.length === part.length || last === undefined) {
      return { events, upTo: order === 'desc' ? after : end, more: false };
    }
    return { events, upTo: order === 'desc' ? last - 1 : last, more: true };
  };
  return { feed: { read }, reads };
}

it.each<FeedOrder>(['asc', 'desc'])(
  'pages of a filtered feed (%s) have each match once, whatever their limit, and examine at most 2,000 events each',
  async (order) => {
    const count = 4_500;
    for (const [limit, every] of [
      [1, 1_000],
      [7, 100],
      [100, 3],
      [100, 10_000],
    ] as const) {
      const { feed, reads } = feedOf(count);
      const meets = (signal: SignalAtEvent) => Number(signal.id) % every === 0;
      const found: number[] = [];
      let [after, end] = [0, count];
      for (let more = true; more; ) {
        reads.length = 0;
        const page = await readMeeting(feed, { after, end, limit, order }, { meets });
        found.push(...page.events.map(({ sequence }) => sequence));
        expect(page.events.length).toBeLessThanOrEqual(limit);
        expect(reads.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(2_000);
        // What was read is behind the cursor, also where nothing matched.
        expect(order === 'asc' ? page.upTo > after : page.upTo < end).toBe(true);
        if (order === 'asc') after = page.upTo;
        else end = page.upTo;
        more = page.more;
      }
      const expected = Array.from({ length: Math.floor(count / every) }, (_, n) => (n + 1) * every);
      expect(found).toEqual(order === 'asc' ? expected : expected.toReversed());
    }
  },
);

it('a filter is read once, whichever events come, and one that finds no room takes it from few others', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const signal = sampleOf(signalAtEventSchema);
  const filters = Array.from({ length: 5 }, (_, n) => `{"metrics.holders":{"gt":${n}}}`);
  const [first = ''] = filters;
  const meets = eventFilter(4 * first.length);
  const readBy = (asked: readonly string[]) => {
    parse.mockClear();
    for (const filter of asked) expect(meets(filter, signal)).toBe(true);
    return parse.mock.calls.map(([text]) => text);
  };
  expect(readBy([...filters.slice(0, 4), ...filters.slice(0, 4)])).toEqual(filters.slice(0, 4));
  // Beyond the room, the others stay read, whatever the turns.
  const turns = Array.from({ length: 100 }, () => filters).flat();
  expect(readBy(turns)).toHaveLength(100);
  expect(readBy([...filters.slice(1), first])).toEqual([first]);
  parse.mockRestore();
});

it('a filter that this release can not read lets every event through', () => {
  expect(eventFilter()('{"token.colour":{"eq":"red"}}', sampleOf(signalAtEventSchema))).toBe(true);
});
