import type { Writable } from 'node:stream';
import {
  cursorAt,
  type EventFeed,
  type FeedEntry,
  type FeedFilter,
  type Meets,
  matchesFilter,
} from '../domain/feed.ts';
import type { Listening } from './feed-tail.ts';

/** The most events that a stream behind the feed's tail reads at once: bounds the memory of a slow client. */
const maxRead = 100;
/** A client that reads nothing for this long is disconnected, in milliseconds. It can resume. */
const stalledMs = 30_000;

type EventStreamOptions = {
  readonly feed: EventFeed;
  readonly tail: Listening;
  readonly filter: FeedFilter & { readonly meets?: Meets | undefined };
  /** The sequence number behind which to begin. */
  readonly from: number;
  readonly heartbeatMs: number;
  /** Asks the client to wait this long before it connects again, in milliseconds. */
  readonly retryMs: number;
  /** Ends the stream at once, whatever it waits for. */
  readonly signal: AbortSignal;
};

/**
 * Writes events as server-sent events (WHATWG HTML, 9.2) until `signal` aborts or the client stalls. It reads on only when
 * the client has taken what was written, so memory is bounded and no event is skipped.
 * @throws when the store fails while the client is behind, or when the client stalls.
 */
export async function writeEventStream(response: Writable, options: EventStreamOptions): Promise<void> {
  const { feed, tail, filter, heartbeatMs, signal } = options;
  let position = options.from;
  /** The sequence number of the last id that the client was sent. */
  let sentId = position;
  let wroteAt = 0;
  const write = async (text: string) => {
    wroteAt = performance.now();
    if (!response.write(text)) await drained(response, signal);
  };
  const heartbeat = async () => {
    await write(sentId === position ? ':\n\n' : `id: ${cursorAt(position)}\n:\n\n`);
    sentId = position;
  };

  // With this id, a client that loses the connection before the first event can resume.
  await write(`retry: ${Math.round(options.retryMs)}\nid: ${cursorAt(position)}\n\n`);
  while (!signal.aborted) {
    const behind = { after: position, end: tail.end, limit: maxRead };
    const { events, upTo } = tail.after(position) ?? (await feed.read(behind, filter));
    for (const event of events) {
      if (signal.aborted) return;
      if (!matchesFilter(event, filter)) continue;
      await write(frame(event));
      sentId = event.sequence;
    }
    const silentMs = performance.now() - wroteAt;
    if (upTo > position) {
      position = upTo;
      if (silentMs < heartbeatMs) continue;
    }
    if (silentMs >= heartbeatMs) await heartbeat();
    else await newEvents(tail, position, { forMs: heartbeatMs - silentMs, signal });
  }
}

/** An event as a client of `EventSource` gets it. The body is one line of JSON. */
function frame({ id, type, body }: FeedEntry): string {
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** Resolves when there may be an event behind `position`, when the time is over, or when `signal` aborts. */
function newEvents(
  tail: Listening,
  position: number,
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
    if (signal.aborted || tail.end > position) done();
  });
}

/** Resolves when the client has taken what was written, or `signal` aborts. Rejects when the client takes nothing for 30 s. */
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
    const timer = setTimeout(
      () => done(new Error(`the client has read nothing for ${stalledMs / 1_000} s`)),
      stalledMs,
    );
    response.on('drain', onDrain);
    signal.addEventListener('abort', onDrain);
    if (signal.aborted) done();
  });
}
