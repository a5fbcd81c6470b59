import type { ServerResponse } from 'node:http';
import type { BudgetHolder, ByteBudget } from '@sigcast/http';

/** Bytes of an answer that are buffered for a slow client before its service has to pause: as many as any answer but a stream has. */
const maxHeldBytes = 512 * 1024;
/** What compressing an answer takes until the client has read it, in bytes: brotli 140 kB, gzip 240 kB (Node 24). */
const encoderBytes = 256 * 1024;
/** The least that a client takes of an answer while some of it waits. A telephone line takes five times as much. */
const leastBytesPerSecond = 1_000;
/** Checks during `stalledMs`. */
const checks = 4;

/** What bounds the answers that wait for slow clients. */
export type AnswerLimits = {
  /** Over all answers of the process. */
  readonly budget: ByteBudget;
  /** The time in which a client has to take `leastBytesPerSecond` on average. */
  readonly stalledMs: number;
};

/**
 * A client that reads slower than the service writes. Closes the client's connection when the client takes too little, or
 * when others need the room.
 */
export class SlowClient implements BudgetHolder {
  readonly #res: ServerResponse;
  readonly #limits: AnswerLimits;
  readonly #encoderBytes: number;
  #timer: NodeJS.Timeout | undefined;
  /** What the client had taken of its connection at the last checks since it had taken everything. */
  #taken: number[] = [];

  /** `onTaken` is called whenever the service may go on. */
  constructor(res: ServerResponse, limits: AnswerLimits, onTaken: () => void) {
    this.#res = res;
    this.#limits = limits;
    this.#encoderBytes = isCompressed(res) ? encoderBytes : 0;
    res.on('drain', () => {
      // An encoder drains when it has read its input, whatever the client has taken.
      if (this.#encoderBytes === 0) this.#forget();
      onTaken();
    });
    res.on('close', () => this.#forget());
  }

  /**
   * Notes that the client may have yet to read what is written. Says whether the service has to pause. A stream pauses, so that
   * its buffer is bounded. Any other answer is buffered, so that a slow client does not occupy a connection to the service.
   */
  mustPause(isStream: boolean): boolean {
    if (this.#timer === undefined) {
      this.#taken = [takenBytes(this.#res)];
      this.#timer = setInterval(() => this.#check(), this.#limits.stalledMs / checks);
    }
    return this.#hold() > maxHeldBytes || isStream;
  }

  giveWay(): boolean {
    this.#res.req.socket.destroy();
    return true;
  }

  /** Notes in the budget what waits for the client now, and returns it. */
  #hold(): number {
    const waiting = this.#res.writableLength;
    this.#limits.budget.hold(this, waiting + this.#encoderBytes);
    return waiting;
  }

  #forget(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#limits.budget.release(this);
  }

  /** Goes on until the client has read everything, also after the answer's end, when no `drain` comes any more. */
  #check(): void {
    const taken = takenBytes(this.#res);
    if (this.#hold() === 0) this.#taken = [];
    this.#taken.push(taken);
    if (this.#taken.length <= checks) return;
    const before = this.#taken.shift() ?? taken;
    if (taken - before < (leastBytesPerSecond * this.#limits.stalledMs) / 1_000) this.giveWay();
  }
}

/** Whether an answer is compressed here. */
export function isCompressed(res: ServerResponse): boolean {
  return res.hasHeader('Content-Encoding');
}

/**
 * The bytes of a connection that the operating system has taken. Only the socket's handle knows how much of the write under
 * way is left. Node's own socket timeout reads the handle, too.
 */
function takenBytes({ req: { socket } }: ServerResponse): number {
  const { _handle: handle } = socket as {
    _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
