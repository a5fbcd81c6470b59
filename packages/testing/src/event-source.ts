import { eventually } from './eventually.ts';

/** A received server-sent event. */
export type StreamedEvent = { readonly id: string; readonly event: string; readonly data: string };

/** One connection to a stream of server-sent events. It does not reconnect. */
export type EventSource = {
  readonly status: number;
  readonly headers: Headers;
  /** Events so far. */
  readonly events: readonly StreamedEvent[];
  /** Comment lines so far. */
  readonly comments: readonly string[];
  /** The `Last-Event-ID` for the next connection. */
  readonly lastEventId: string;
  /** Milliseconds to wait before reconnecting, if the server has sent them. */
  readonly retryMs: number | undefined;
  /** Resolves when the stream is over: `ended` with a complete answer, or `broken` off. */
  readonly over: Promise<'ended' | 'broken'>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Opens a stream and parses it by WHATWG HTML, 9.2.6. For an answer that is no stream, only the status is useful. */
export async function openEventSource(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventSource> {
  const aborting = new AbortController();
  const response = await fetch(url, { headers, signal: aborting.signal });
  const reading = new Reading();
  const over = reading.read(response);
  const close = async () => {
    aborting.abort();
    await over;
  };
  if (response.ok) await eventually(() => reading.requireBegun());
  return {
    status: response.status,
    headers: response.headers,
    events: reading.events,
    comments: reading.comments,
    get lastEventId() {
      return reading.lastEventId;
    },
    get retryMs() {
      return reading.retryMs;
    },
    over,
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Reading {
  readonly events: StreamedEvent[] = [];
  readonly comments: string[] = [];
  lastEventId = '';
  retryMs: number | undefined;
  #begun = false;
  #id = '';
  #event = '';
  #data: string[] = [];

  requireBegun(): void {
    if (!this.#begun) throw new Error('the stream has not begun');
  }

  async read(response: Response): Promise<'ended' | 'broken'> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      const body: AsyncIterable<Uint8Array> | null = response.body;
      for await (const chunk of body ?? []) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#take(line);
      }
      return 'ended';
    } catch {
      return 'broken';
    } finally {
      this.#begun = true;
    }
  }

  #take(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const [field, value] =
      colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    if (field === '') this.comments.push(value);
    else if (field === 'id') this.#id = value;
    else if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'retry') this.retryMs = Number(value);
    else throw new Error(`not a line of a stream: ${line}`);
  }

  #dispatch(): void {
    this.#begun = true;
    this.lastEventId = this.#id;
    if (this.#data.length > 0) {
      this.events.push({
        id: this.lastEventId,
        event: this.#event || 'message',
        data: this.#data.join('\n'),
      });
    }
    this.#event = '';
    this.#data = [];
  }
}
