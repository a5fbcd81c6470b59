import { SigcastConnectionError, SigcastError, SigcastTimeoutError } from './errors.ts';
import { type EventStreamBlock, EventStreamParser } from './event-stream-parser.ts';
import type { FeedEvent, SignalType, WebhookEventType } from './generated/types.ts';
import { type OneOrMore, queryString } from './query.ts';
import { connectionError, type Transport } from './transport.ts';
import { backoffMs } from './wait.ts';

export type StreamOptions = {
  /** Only these events. */
  readonly events?: OneOrMore<WebhookEventType>;
  /** Only events of signals of these types. */
  readonly types?: OneOrMore<SignalType>;
  /** Only events whose signal meets these conditions: JSON, as in `filter` of `events.list`. */
  readonly filter?: string;
  /** Continues after the event with this id. Default: only events from now on. */
  readonly lastEventId?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** A connection that is silent for this long is closed; the API sends something every 15 s. Default 45,000. */
  readonly idleTimeoutMs?: number;
  /** Called with each `lastEventId` to continue from, also with one that comes without an event. */
  readonly onPosition?: (lastEventId: string) => void;
  /** Called when a connection opens, ends or fails to open. */
  readonly onConnection?: (connection: StreamConnection) => void;
};

/** The state of a stream's connection. */
export type StreamConnection =
  | { readonly state: 'open' }
  /** The client reconnects after a pause. `cause` is absent when the API ended the connection as planned. */
  | { readonly state: 'lost'; readonly cause?: Error };

/** The first pause before reconnecting, until the server sends another value. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Events as they happen. Reconnects after a lost connection and continues after the last event, until `signal` aborts;
 * then the stream ends. The first connection has as many retries as any other call.
 *
 * @throws {SigcastError} when the API refuses for good: a revoked key, a wrong filter, or, at the first connection, an
 * account that has as many streams open as it may (`CONFLICT`).
 * @throws {SigcastConnectionError} when the stream can't be opened in the first place.
 */
export async function* streamEvents(
  transport: Transport,
  { events, types, filter, signal, onPosition, onConnection, ...options }: StreamOptions = {},
): AsyncGenerator<FeedEvent, void, undefined> {
  const path = `/v1/stream${queryString({ events, types, filter })}`;
  const { idleTimeoutMs = 45_000 } = options;
  const { now, pause, random } = transport.surroundings;
  let lastEventId = options.lastEventId ?? '';
  let retryMs = firstPauseMs;
  let wasOpen = false;
  let failures = 0;
  while (!signal?.aborted) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal?.addEventListener('abort', end, { once: true });
    const startedAtMs = now();
    const parser = new EventStreamParser(lastEventId);
    let waitMs = 0;
    let cause: Error | undefined;
    try {
      const body = await transport.open(path, { lastEventId, connection });
      wasOpen = true;
      onConnection?.({ state: 'open' });
      for await (const block of readBlocks(body, parser, { connection, idleTimeoutMs })) {
        lastEventId = block.lastEventId;
        onPosition?.(lastEventId);
        if (block.data === undefined) continue;
        yield { id: lastEventId, ...parsePayload(block.data) };
        failures = 0;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!mayReconnect(error, wasOpen) || (!wasOpen && failures >= transport.options.maxRetries))
        throw error;
      if (error instanceof SigcastError) waitMs = (error.retryAfterS ?? 0) * 1_000;
      cause = error as Error;
    } finally {
      signal?.removeEventListener('abort', end);
      connection.abort();
    }
    // A connection that was open for a while counts as a success, even without an event.
    failures = now() - startedAtMs >= longestPauseMs ? 1 : failures + 1;
    retryMs = parser.retryMs ?? retryMs;
    const maxMs = Math.max(longestPauseMs, retryMs);
    waitMs = Math.max(waitMs, backoffMs(failures, { firstMs: retryMs, maxMs, random }));
    onConnection?.({ state: 'lost', ...(cause && { cause }) });
    // The pause rejects when the signal aborts, and then the loop ends.
    await pause(waitMs, signal).catch(() => undefined);
  }
}

async function* readBlocks(
  body: ReadableStream<Uint8Array>,
  parser: EventStreamParser,
  { connection, idleTimeoutMs }: { connection: AbortController; idleTimeoutMs: number },
): AsyncGenerator<EventStreamBlock, void, undefined> {
  // Not `for await`: not every browser iterates over streams.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const silent = new SigcastTimeoutError(`The stream was silent for ${idleTimeoutMs} ms`);
  // Not through `fetch`, which in Node 20 forgets its signal at garbage collection.
  connection.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), {
    once: true,
  });
  for (;;) {
    const timer = setTimeout(() => connection.abort(silent), idleTimeoutMs);
    const chunk = await reader
      .read()
      .catch((cause: unknown) => {
        throw connection.signal.aborted ? silent : connectionError('The stream', cause);
      })
      .finally(() => clearTimeout(timer));
    if (connection.signal.aborted) throw silent;
    if (chunk.done) return;
    yield* parser.push(decoder.decode(chunk.value, { stream: true }));
  }
}

/** Whether a new connection may succeed. */
function mayReconnect(error: unknown, wasOpen: boolean): boolean {
  if (error instanceof SigcastConnectionError) return true;
  if (!(error instanceof SigcastError)) return false;
  // The account has too many streams open: the API may still count the connection that has just broken.
  if (error.status === 409) return wasOpen;
  return error.status === 429 || error.status >= 500;
}

function parsePayload(data: string): Omit<FeedEvent, 'id'> {
  try {
    return JSON.parse(data) as Omit<FeedEvent, 'id'>;
  } catch {
    const message = 'The stream holds an event that is not JSON';
    throw new SigcastError({ status: 200, code: 'UNEXPECTED_ANSWER', message });
  }
}
