import type { ServerResponse } from 'node:http';

/** Bytes of an answer that are buffered for a slow client at most: more than any answer but a stream has. */
const maxHeldBytes = 512 * 1024;
/** Checks during `stalledMs`. The connection is closed when this many checks in a row see no progress. */
const checks = 4;

/** A client that reads slower than the service writes. Closes the connection when the client reads nothing for a while. */
export class SlowClient {
  readonly #res: ServerResponse;
  readonly #stalledMs: number;
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onTaken` is called whenever the client has read all buffered bytes. */
  constructor(res: ServerResponse, stalledMs: number, onTaken: () => void) {
    this.#res = res;
    this.#stalledMs = stalledMs;
    const taken = () => {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#heldBytes = 0;
    };
    // `on`, not `once`: the compressing response never removes a `once` listener.
    res.on('drain', () => {
      taken();
      onTaken();
    });
    res.on('close', taken);
  }

  /**
   * Notes that these bytes are buffered. Says whether the service has to pause. A stream pauses, so that its buffer is
   * bounded. Any other answer is buffered, so that a slow client does not occupy a connection to the service.
   */
  mustPause(bytes: number, isStream: boolean): boolean {
    this.#heldBytes += bytes;
    this.#timer ??= this.#closeWhenStalled();
    return isStream || this.#heldBytes > maxHeldBytes;
  }

  /** Checks until the client has read everything, also after the answer's end, when no `drain` comes any more. */
  #closeWhenStalled(): NodeJS.Timeout {
    let [before, unchanged] = [waitingBytes(this.#res), 0];
    return setInterval(() => {
      const now = waitingBytes(this.#res);
      unchanged = now === before ? unchanged + 1 : 0;
      before = now;
      if (unchanged >= checks) this.#res.destroy();
    }, this.#stalledMs / checks);
  }
}

/**
 * The bytes that the operating system has not taken yet: those buffered in the streams, and the rest of the write under way,
 * which only the socket's handle knows. Node's own socket timeout reads the handle, too.
 */
function waitingBytes({ socket, writableLength }: ServerResponse): string {
  const handle = (socket as { _handle?: { writeQueueSize?: number } | null } | null)?._handle;
  return `${writableLength}/${socket?.writableLength}/${handle?.writeQueueSize}`;
}
