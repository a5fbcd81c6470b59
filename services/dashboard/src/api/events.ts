import type { WebhookPayload } from '@sigcast/client';
import { ApiError, failureIn } from './http.ts';

/** One event of `GET /v1/stream`. */
export type StreamEvent = { readonly id: string; readonly payload: WebhookPayload };

/**
 * Reads a stream of server-sent events (HTML Living Standard, 9.2) until it ends. `EventSource` can't send an
 * `Authorization` header, so this reads it itself.
 * @returns the last id seen, to go on from.
 * @throws {ApiError} when the stream is refused.
 */
export async function readStream(options: {
  readonly token: string;
  readonly lastId: string | undefined;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly onEvent: (event: StreamEvent) => void;
  /** Called with every id, also when it comes without an event. */
  readonly onId: (id: string) => void;
}): Promise<void> {
  const { token, lastId, signal, onOpen, onEvent, onId } = options;
  const response = await fetch('/v1/stream', {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
    signal,
  });
  if (!response.ok || response.body === null) {
    throw new ApiError(response.status, failureIn(await response.text()));
  }
  onOpen();
  let rest = '';
  for await (const text of chunks(response.body.pipeThrough(new TextDecoderStream()))) {
    const blocks = (rest + text).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const { id, data } = parseBlock(block);
      if (id !== undefined) onId(id);
      if (data !== '') onEvent({ id: id ?? '', payload: JSON.parse(data) as WebhookPayload });
    }
  }
}

/** One block of lines between blank ones; lines that begin with a colon are comments. */
export function parseBlock(block: string): { id: string | undefined; data: string } {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'id') id = value;
    if (name === 'data') data.push(value);
  }
  return { id, data: data.join('\n') };
}

/** Not every browser can iterate a stream. */
async function* chunks(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
