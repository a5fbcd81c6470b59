import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseBlock, readStream, type StreamEvent } from '../src/api/events.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Reads a stream that arrives in these pieces. */
async function read(...pieces: string[]): Promise<{ events: StreamEvent[]; ids: string[] }> {
  const body = new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body, { status: 200 }));
  const [events, ids]: [StreamEvent[], string[]] = [[], []];
  await readStream({
    token: 'a token',
    lastId: undefined,
    signal: new AbortController().signal,
    onOpen: () => undefined,
    onEvent: (event) => events.push(event),
    onId: (id) => ids.push(id),
  });
  return { events, ids };
}

describe('a stream of events', () => {
  it('is read completely wherever it is cut, and has new ids also in blocks without an event', async () => {
    const text =
      'retry: 1500\nid: pos_1\n\nid: evt_1\nevent: signal.new\ndata: {"event":"signal.new"}\n\n:\n\nid: pos_2\n\n';
    for (let cut = 1; cut < text.length; cut += 7) {
      const { events, ids } = await read(text.slice(0, cut), text.slice(cut));
      expect(events).toEqual([{ id: 'evt_1', payload: { event: 'signal.new' } }]);
      expect(ids).toEqual(['pos_1', 'evt_1', 'pos_2']);
    }
  });

  it('does not take a block that never ended for an event', async () => {
    expect((await read('id: evt_1\ndata: {"event":"sig')).events).toEqual([]);
  });

  it.each([
    ['id: 7\ndata: a', { id: '7', data: 'a' }],
    ['data:a\ndata: b', { id: undefined, data: 'a\nb' }],
    [': a comment\nid:', { id: '', data: '' }],
    ['id: 1\r\ndata: x:y', { id: '1', data: 'x:y' }],
  ])('reads the block %j', (block, expected) => {
    expect(parseBlock(block)).toEqual(expected);
  });
});
