import type { Writable } from 'node:stream';
import { cursorAt, type EventFeed, type FeedFilter, type PlacedEvent, passes } from '../domain/feed.ts';
import type { Listening } from './feed-tail.ts';

/** Events read from the store at once for a stream that is behind: what one slow client holds in memory. */
const maxBehind = 100;
/** A client that takes nothing for this long is given up, in milliseconds. It can resume. */
const stalledMs = 30_000;

export type EventStreamOptions = {
  readonly feed: EventFeed;
  readonly tail: Listening;
  readonly filter: FeedFilter;
  /** The place behind which to begin. */
  readonly from: number;
  readonly heartbeatMs: number;
  /** Asks the client to wait this long before it connects again, in milliseconds. */
  readonly retryMs: number;
  /** Ends the stream at once, whatever it waits for. */
  readonly signal: AbortSignal;
};

/**
 * Writes events as server-sent events (WHATWG HTML, 9.2) until `signal` aborts or the client stalls. Never ahead of
 * the client: it goes on reading when what was written has left, so memory is bounded and nothing is left out.
 * @throws when the store fails while the client is behind, or when the client stalls.
 */
export async function writeEventStream(response: Writable, options: EventStreamOptions): Promise<void> {
  const { feed, tail, filter, heartbeatMs, signal } = options;
  let place = options.from;
  /** The place whose cursor, or whose event's, the client has. */
  let told = place;
  let wroteAt = 0;
  const write = async (text: string) => {
    wroteAt = performance.now();
    if (!response.write(text)) await drained(response, signal);
  };
  const beat = async () => {
    await write(told === place ? ':\n\n' : `id: ${cursorAt(place)}\n:\n\n`);
    told = place;
  };

  // With an id, so that also who loses the connection before the first event misses none.
  await write(`retry: ${Math.round(options.retryMs)}\nid: ${cursorAt(place)}\n\n`);
  while (!signal.aborted) {
    const { events, upTo } = tail.after(place) ?? (await feed.read(place, tail.end, filter, maxBehind));
    for (const event of events) {
      if (signal.aborted) return;
      if (!passes(event, filter)) continue;
      await write(frame(event));
      told = event.seq;
    }
    const silentMs = performance.now() - wroteAt;
    if (upTo > place) {
      place = upTo;
      if (silentMs < heartbeatMs) continue;
    }
    if (silentMs >= heartbeatMs) await beat();
    else await newEvents(tail, place, { forMs: heartbeatMs - silentMs, signal });
  }
}

/** An event as a client of `EventSource` gets it. The body is one line of JSON. */
function frame({ id, type, body }: PlacedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** Until there may be an event behind `place`, or the time is over. */
function newEvents(
  tail: Listening,
  place: number,
  { forMs, signal }: { readonly forMs: number; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, forMs);
    const forget = tail.onNew(done);
    signal.addEventListener('abort', done);
    if (signal.aborted || tail.end > place) done();
  });
}

/** Until the client has taken what was written, or the stream is over. @throws when it takes nothing for 30 s. */
function drained(response: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => {
      clearTimeout(timer);
      response.off('drain', onDrain);
      signal.removeEventListener('abort', onDrain);
      if (error) reject(error);
      else resolve();
    };
    const onDrain = () => done();
    const timer = setTimeout(() => done(new Error('the client takes nothing')), stalledMs);
    response.on('drain', onDrain);
    signal.addEventListener('abort', onDrain);
    if (signal.aborted) done();
  });
}
