/** A parsed event or, with `data` undefined, only a new last event id. */
export type EventStreamBlock = {
  readonly lastEventId: string;
  readonly event: string;
  readonly data: string | undefined;
};

/** Reads `text/event-stream` (WHATWG HTML, 9.2.6 "Interpreting an event stream"), however it is cut into chunks. */
export class EventStreamParser {
  /** Milliseconds the server asks to wait before reconnecting; undefined until it does. */
  retryMs: number | undefined;
  #lastEventId: string;
  #id: string;
  #event = '';
  #data: string[] = [];
  #line = '';
  #afterCarriageReturn = false;

  /** @param lastEventId the id from which the stream was requested. */
  constructor(lastEventId = '') {
    this.#lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  /** @param chunk decoded text, its byte order mark removed. */
  *push(chunk: string): Generator<EventStreamBlock, void, undefined> {
    if (chunk === '') return;
    // A CR ends its line at once. An LF at the beginning of the next chunk belongs to that CR.
    const text = this.#afterCarriageReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    this.#afterCarriageReturn = chunk.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    this.#line += first;
    for (const next of others) {
      const line = this.#line;
      this.#line = next;
      if (line !== '') this.#field(line);
      else yield* this.#block();
    }
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    // An empty name is a comment. Unknown fields are ignored.
  }

  *#block(): Generator<EventStreamBlock, void, undefined> {
    const isNewId = this.#id !== this.#lastEventId;
    this.#lastEventId = this.#id;
    const data = this.#data.length > 0 ? this.#data.join('\n') : undefined;
    const event = this.#event || 'message';
    this.#data = [];
    this.#event = '';
    if (data !== undefined || isNewId) yield { lastEventId: this.#id, event, data };
  }
}
