import type { ServerResponse } from 'node:http';

/** Of an answer that has an end, so much is held for a client that takes it slowly, in bytes: more than any of ours has. */
const maxHeldBytes = 512 * 1024;

/** A client that does not take what is written to it as fast as it comes. One that takes nothing for a while is cut. */
export class SlowClient {
  readonly #res: ServerResponse;
  readonly #stalledMs: number;
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onTaken` is called whenever the client has taken all that was held. */
  constructor(res: ServerResponse, stalledMs: number, onTaken: () => void) {
    this.#res = res;
    this.#stalledMs = stalledMs;
    const taken = () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#heldBytes = 0;
    };
    // Once and for all: where the answer is compressed, a listener that is to be called once would stay.
    res.on('drain', () => {
      taken();
      onTaken();
    });
    res.on('close', taken);
  }

  /**
   * These bytes were written and wait. Says whether the service has to wait, too: a stream's does, so that what is held is
   * bounded; an answer with an end is held, so that a slow client does not occupy a connection to the service.
   */
  waits(bytes: number, isStream: boolean): boolean {
    this.#heldBytes += bytes;
    this.#timer ??= setTimeout(() => this.#res.destroy(), this.#stalledMs);
    return isStream || this.#heldBytes > maxHeldBytes;
  }
}
