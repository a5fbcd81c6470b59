import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SigcastError } from '@sigcast/contracts';
import type { BudgetHolder, ByteBudget } from './byte-budget.ts';

/** A body over this many bytes is refused. */
export const maxBodyBytes = 100_000;

/** The smallest buffer of a body that arrives in parts. */
const smallestBufferBytes = 4_096;

/**
 * How many parts a body may arrive in, and for how many bytes on average it may have one more. A part is a chunk, or what
 * arrived at once; each costs the process 3 µs, however small it is. No client has a reason to send more.
 */
const freeParts = 500;
const bytesPerPart = 16;

/** What bounds the bodies of clients that are not trusted. */
export type BodyLimits = {
  /** Over all bodies of the process, until their requests are answered. */
  readonly budget: ByteBudget;
  /** How long a body may take to arrive once it is wanted, in milliseconds. */
  readonly timeoutMs: number;
};

/** Whether a request's head announces a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const bodies = new WeakMap<IncomingMessage, Body>();

/**
 * Collects a request's body as it arrives, within limits. Without this, Node keeps each part in a buffer of its own until the
 * body is read.
 */
export function collectBody(req: IncomingMessage, res: ServerResponse, limits: BodyLimits): void {
  const body = new Body(req, { ...limits, res });
  bodies.set(req, body);
  res.on('close', () => limits.budget.release(body));
}

/**
 * Reads the whole body. Sends `100 Continue` first to a client that waits for it (RFC 9110, 10.1.1).
 * @returns undefined when the client goes away; empty where no body is announced.
 * @throws {SigcastError} PAYLOAD_TOO_LARGE over 100 kB, REQUEST_TIMEOUT after the time of its limits, INVALID_REQUEST for too
 *   many parts, SERVICE_UNAVAILABLE when the process has no room for it.
 */
export async function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  if (!announcesBody(req)) return Buffer.alloc(0);
  return (bodies.get(req) ?? new Body(req)).read();
}

/** A body that is arriving, in one buffer. */
class Body implements BudgetHolder {
  readonly #req: IncomingMessage;
  readonly #limits: (BodyLimits & { readonly res: ServerResponse }) | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #parts = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #read = Promise.withResolvers<Buffer | undefined>();
  #isOver = false;

  constructor(req: IncomingMessage, limits?: BodyLimits & { readonly res: ServerResponse }) {
    this.#req = req;
    this.#limits = limits;
    // Where the client is refused first, nobody waits for the body.
    this.#read.promise.catch(() => undefined);
    if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) {
      this.#fail(tooLarge());
      return;
    }
    req.on('data', (part: Buffer) => this.#append(part));
    req.on('end', () => this.#end(this.#buffer.subarray(0, this.#bytes)));
    req.on('close', () => this.#end(undefined));
    if (req.destroyed && !req.complete) this.#end(undefined);
  }

  read(): Promise<Buffer | undefined> {
    if (!this.#isOver && this.#limits !== undefined) {
      const { res, timeoutMs } = this.#limits;
      if (expectsContinue(this.#req)) res.writeContinue();
      this.#timer = setTimeout(() => this.#fail(tooSlow(timeoutMs)), timeoutMs);
    }
    return this.#read.promise;
  }

  giveWay(): boolean {
    return this.#fail(
      new SigcastError('SERVICE_UNAVAILABLE', 'Too many bodies are arriving at once; try again in 1 s', {
        retryAfterS: 1,
      }),
    );
  }

  #append(part: Buffer): void {
    if (this.#isOver) return;
    const bytes = this.#bytes + part.length;
    this.#parts += 1;
    if (bytes > maxBodyBytes) {
      this.#fail(tooLarge());
    } else if (this.#parts > freeParts + bytes / bytesPerPart) {
      this.#fail(new SigcastError('INVALID_REQUEST', tooManyParts));
    } else {
      this.#keep(part, bytes);
    }
  }

  /** Most bodies have one part, which is then the buffer. A full buffer doubles, so it is never far larger than what has arrived. */
  #keep(part: Buffer, bytes: number): void {
    if (this.#bytes === 0) this.#hold(part);
    else {
      if (bytes > this.#buffer.length) {
        const doubled = Math.max(bytes, 2 * this.#buffer.length, smallestBufferBytes);
        const grown = Buffer.allocUnsafeSlow(Math.min(doubled, maxBodyBytes));
        this.#buffer.copy(grown, 0, 0, this.#bytes);
        this.#hold(grown);
      }
      part.copy(this.#buffer, this.#bytes);
    }
    this.#bytes = bytes;
  }

  #hold(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#limits?.budget.hold(this, buffer.length);
  }

  #end(body: Buffer | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#read.resolve(body);
  }

  /** @returns false where the body is complete, or has failed already. */
  #fail(error: SigcastError): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#buffer = Buffer.alloc(0);
    this.#limits?.budget.release(this);
    // The connection is closed after the answer.
    if (this.#limits !== undefined) stopParser(this.#req.socket);
    this.#read.reject(error);
    return true;
  }
}

/** The place of a parser's callback for a part of a body: `HTTPParser.kOnBody`, which Node does not export. */
const onBody = 3;

/**
 * Stops Node's HTTP parser. It goes through what it has, up to 64 kB or 10,000 tiny chunks, and is given no more; it reports
 * the stop as an error with the code HPE_PAUSED. Without its callback it takes a tenth of a microsecond a chunk instead of some
 * three. Node uses a parser again for another connection, so the callback is restored when the socket closes.
 */
function stopParser(socket: Socket): void {
  const { parser } = socket as { parser?: ({ pause?: () => void } & Record<number, unknown>) | null };
  // Requests sent ahead share a parser: the first that fails has stopped it, and restores it.
  if (!parser?.[onBody]) return;
  parser.pause?.();
  const callback = parser[onBody];
  parser[onBody] = null;
  socket.once('close', () => {
    parser[onBody] = callback;
  });
}

/** Whether a client waits for `100 Continue` before it sends its body; the same rule as Node's. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

const tooManyParts = 'The body arrives in too many small parts: send parts of at least 16 bytes';

/** The refusal of a body over 100 kB. */
export function tooLarge(): SigcastError {
  return new SigcastError('PAYLOAD_TOO_LARGE', 'The body is over 100 kB');
}

function tooSlow(timeoutMs: number): SigcastError {
  return new SigcastError('REQUEST_TIMEOUT', `The body did not arrive within ${timeoutMs / 1_000} s`);
}
