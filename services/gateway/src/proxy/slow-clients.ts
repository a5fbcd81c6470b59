import type { ServerResponse } from 'node:http';

/** Of an answer that has an end, so much is held for a client that takes it slowly, in bytes: more than any of ours has. */
const maxHeldBytes = 512 * 1024;
/** A client is cut when this many looks in a row, within the time it has, see that it took nothing. */
const looks = 4;

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
      clearInterval(this.#timer);
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
    this.#timer ??= this.#cutWhenStalled();
    return isStream || this.#heldBytes > maxHeldBytes;
  }

  /** Looks until the client has taken all, also after the answer's end, where no `drain` comes any more. */
  #cutWhenStalled(): NodeJS.Timeout {
    let [before, unchanged] = [waitingBytes(this.#res), 0];
    return setInterval(() => {
      const now = waitingBytes(this.#res);
      unchanged = now === before ? unchanged + 1 : 0;
      before = now;
      if (unchanged >= looks) this.#res.destroy();
    }, this.#stalledMs / looks);
  }
}

/**
 * What the system has not taken yet of what was written to a connection: what waits in the stream, and what is left of
 * the write in hand, of which the stream knows nothing before its end. Node's own timeout of sockets reads that, too.
 */
function waitingBytes({ socket, writableLength }: ServerResponse): string {
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null } | null)?._handle;
  return `${writableLength}/${socket?.writableLength}/${handle?.writeQueueSize}`;
}
