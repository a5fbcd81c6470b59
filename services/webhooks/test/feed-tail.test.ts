import { eventually } from '@sigcast/testing';
import { expect, it } from 'vitest';
import type { EventFeed, FeedEntry } from '../src/domain/feed.ts';
import { FeedTail } from '../src/streaming/feed-tail.ts';

const event = (sequence: number): FeedEntry => ({
  sequence,
  id: `evt_${sequence}`,
  type: 'signal.new',
  signalType: 'new',
  body: '{}',
});

/** A tail of a feed whose end the test sets, and whose pauses the test ends. */
function tailHarness() {
  const state = { end: 0, reads: 0, failing: false, problems: 0 };
  const paused: (() => void)[] = [];
  const feed: Pick<EventFeed, 'bounds' | 'readNew'> = {
    bounds: async () => {
      if (state.failing) throw new Error('unavailable');
      return { start: 0, end: state.end };
    },
    readNew: async (after, limit) => {
      state.reads += 1;
      if (state.failing) throw new Error('unavailable');
      const events = Array.from({ length: Math.min(limit, state.end - after) }, (_, i) =>
        event(after + 1 + i),
      );
      return { events, upTo: after + events.length };
    },
  };
  const tail = new FeedTail({
    feed,
    intervalMs: 100,
    pause: (_ms, signal) =>
      new Promise((resolve, reject) => {
        paused.push(resolve);
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
    onProblem: () => {
      state.problems += 1;
    },
  });
  /** Waits until the tail pauses, and ends the pause. */
  const tick = async () => (await eventually(() => paused.shift() ?? Promise.reject(new Error('busy'))))();
  return { state, tail, tick, paused };
}

it('the tail of the feed is read once for all listeners, and not at all while there are none', async () => {
  const { state, tail, tick, paused } = tailHarness();
  const [one, other] = await Promise.all([tail.listen(), tail.listen()]);
  await tick();
  await eventually(() => expect(state.reads).toBe(2));
  one[Symbol.dispose]();
  await tick();
  await eventually(() => expect(state.reads).toBe(3));
  other[Symbol.dispose]();
  paused.shift()?.();
  await new Promise(setImmediate);
  expect(state.reads).toBe(3);
  // A later listener begins at the feed's end at that time.
  state.end = 7;
  using later = await tail.listen();
  expect(later.end).toBe(7);
});

it('the tail of the feed notifies of new events, returns those behind a sequence number, and none to a reader too far behind', async () => {
  const { state, tail, tick } = tailHarness();
  using listening = await tail.listen();
  const ends: number[] = [];
  const forget = listening.onNew(() => ends.push(listening.end));
  await tick();
  state.end = 3;
  await tick();
  await eventually(() => expect(ends).toEqual([3]));
  expect(listening.after(1)).toEqual({ events: [event(2), event(3)], upTo: 3 });
  expect(listening.after(3)).toEqual({ events: [], upTo: 3 });
  forget();
  state.end = 2_000;
  await tick();
  await eventually(() => expect(listening.end).toBe(2_000));
  expect(ends).toEqual([3]);
  expect(listening.after(3)).toBeUndefined();
  expect(listening.after(1_000)?.events).toHaveLength(1_000);
});

it('the tail of the feed starts again after a failed start, and goes on after a failed read', async () => {
  const { state, tail, tick } = tailHarness();
  state.failing = true;
  await expect(tail.listen()).rejects.toThrow('unavailable');
  state.failing = false;
  using listening = await tail.listen();
  await tick();
  state.failing = true;
  await tick();
  await eventually(() => expect(state.problems).toBe(1));
  state.failing = false;
  state.end = 2;
  await tick();
  await eventually(() => expect(listening.end).toBe(2));
});
