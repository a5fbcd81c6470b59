import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { SigcastError, unavailable } from '@sigcast/contracts';
import type { Dispatcher } from 'undici';
import {
  checkAnswer,
  isEventStream,
  isFailureEnvelope,
  lateMessage,
  maxFailureBytes,
  replaceAnswer,
} from './answer-check.ts';
import { addClientHeaders } from './headers.ts';
import type { StreamSlot } from './open-streams.ts';
import { type AnswerLimits, isCompressed, SlowClient } from './slow-clients.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamAddress } from './upstream-address.ts';

/** What one exchange with a service needs. */
export type ExchangeContext = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The gateway's own headers of the answer. */
  readonly answerHeaders: OutgoingHttpHeaders;
  readonly upstream: Upstream;
  /** Path and query as they were received. */
  readonly target: string;
  readonly requestHeaders: string[];
  /** The whole body: a retry sends it again. */
  readonly body: Buffer | null;
  readonly answerLimits: AnswerLimits;
  /** The slot of the event stream, where the answer may be one. */
  readonly stream?: StreamSlot | undefined;
  /** Called at most once, with the error to answer with; never after an answer has begun. */
  readonly fail: (error: SigcastError) => void;
  /**
   * Called when the exchange ends without `fail`, with the status to count: 502 when the service broke off its answer, 499
   * when the client went away (except from an event stream, which clients end), otherwise the status of the answer.
   */
  readonly answered: (status: number) => void;
};

/** Pauses before all addresses are tried again, in milliseconds: one of them may be starting. */
const pausesMs = [25, 50, 100, 200];

/** Up to this, an answer's last part is written as text, in bytes: with its head it is less than the 16 kB that Node writes at once. */
const maxTextBytes = 8_192;

/**
 * Sends one request to a service and streams the answer to the client. One deadline holds for all tries. A request that was
 * not sent is tried again, whatever its method. A GET or HEAD that was sent and got no byte of an answer is repeated once
 * (RFC 9110, 9.2.2).
 */
export class ProxyExchange implements Dispatcher.DispatchHandler {
  readonly #context: ExchangeContext;
  readonly #tried = new Set<UpstreamAddress>();
  #address: UpstreamAddress | undefined;
  /** How many times all addresses were tried. */
  #rounds = 0;
  #pause: NodeJS.Timeout | undefined;
  /** Whether this try has begun to write to a connection. */
  #sent = false;
  #repeated = false;
  /** The error of the last try. */
  #lastError: Error | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** Whether a byte of an answer has arrived. */
  #answerBegan = false;
  /** The latest part of an answer, until this turn of the event loop ends. Most answers are whole in one. */
  #held: Buffer | undefined;
  #endsTurn: NodeJS.Immediate | undefined;
  #slowClient: SlowClient | undefined;
  /** Whether the exchange has ended, but for what this turn still writes. Later events are ignored. */
  #ended = false;
  /** Whether the answer is an event stream. */
  #isStream = false;
  /** The status to report when the client closes the connection. */
  #statusOnClientClose = 499;
  /** A 5xx answer whose body is read whole and checked before it is sent. */
  #inspected: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[]; bytes: number } | undefined;

  constructor(context: ExchangeContext) {
    this.#context = context;
  }

  start(): void {
    const { upstream } = this.#context;
    this.#context.res.on('close', () => {
      if (this.#ended) return;
      this.#end(new Error('the client went away'));
      this.#context.answered(this.#statusOnClientClose);
    });
    this.#deadline = setTimeout(() => {
      const unreached = this.#sent ? undefined : this.#lastError;
      const cause = new Error(
        `${this.#sent ? 'sent to' : 'no connection yet to'} ${this.#address?.origin ?? upstream.name}`,
      );
      this.#fail(
        unreached
          ? unavailable('The service', unreached)
          : new SigcastError('GATEWAY_TIMEOUT', lateMessage, { cause }),
      );
    }, upstream.timeouts.headersMs);
    this.#tryNext();
  }

  /** Ends an event stream with a complete answer, as its service does, so that the client reconnects at once. */
  #endStream(): void {
    if (this.#ended) return;
    const { res } = this.#context;
    this.#end(new Error('the gateway stops'));
    // A client that is behind resumes the stream at the last event it has read.
    if (res.writableNeedDrain) res.destroy();
    else res.end(this.#held);
    this.#context.answered(res.statusCode);
  }

  /** undici calls this right before it writes. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing keeps the unused connection, aborting would close it.
    if (this.#ended) throw new Error('the exchange is over');
    this.#controller = controller;
    this.#sent = true;
  }

  onResponseStarted(): void {
    this.#answerBegan = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200 || this.#ended) return;
    this.#answerBegan = true;
    clearTimeout(this.#deadline);
    const { req, res, answerHeaders, upstream, stream } = this.#context;
    // For HEAD undici itself asks for `Connection: close`, so that header says nothing about the address.
    if (req.method !== 'HEAD') {
      if (/\bclose\b/i.test(headers.connection ?? '')) this.#address?.markUnhealthy();
      else this.#address?.markHealthy();
    }
    switch (checkAnswer(req.method ?? '', status, headers)) {
      case 'pass':
        if (status >= 400 && headers['cache-control'] === undefined)
          answerHeaders['cache-control'] = 'no-store';
        res.writeHead(status, addClientHeaders(answerHeaders, headers));
        if (isEventStream(headers)) {
          this.#statusOnClientClose = status;
          this.#isStream = true;
          stream?.begin(() => this.#endStream());
        }
        return;
      case 'inspect':
        this.#inspected = { status, headers, chunks: [], bytes: 0 };
        return;
      case 'broken':
        this.#fail(replaceAnswer(upstream.name, status));
        controller.abort(new Error('the answer is broken'));
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const inspected = this.#inspected;
    if (inspected !== undefined) {
      inspected.bytes += chunk.length;
      if (inspected.bytes <= maxFailureBytes) inspected.chunks.push(chunk);
      return;
    }
    const earlier = this.#held;
    this.#held = chunk;
    this.#writeAtTurnEnd(controller);
    if (earlier !== undefined) this.#write(earlier, controller);
  }

  #write(part: Buffer, controller: Dispatcher.DispatchController): void {
    if (this.#context.res.write(part)) return;
    if (this.#followClient(controller).mustPause(this.#isStream)) controller.pause();
  }

  #followClient(controller: Dispatcher.DispatchController): SlowClient {
    const { res, answerLimits } = this.#context;
    this.#slowClient ??= new SlowClient(res, answerLimits, () => controller.resume());
    return this.#slowClient;
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#ended) return;
    const { res, answerHeaders, upstream } = this.#context;
    const inspected = this.#inspected;
    if (inspected === undefined) {
      this.#ended = true;
      this.#writeAtTurnEnd(controller);
      return;
    }
    const { status, headers, bytes } = inspected;
    const body = Buffer.concat(inspected.chunks);
    if (bytes > maxFailureBytes || !isFailureEnvelope(body, status)) {
      this.#fail(replaceAnswer(upstream.name, status));
      return;
    }
    this.#ended = true;
    answerHeaders['cache-control'] = 'no-store';
    res.writeHead(status, addClientHeaders(answerHeaders, headers)).end(body);
    this.#context.answered(status);
  }

  /** The answers of one turn of the event loop are written one right after the other, so that their readers are woken less often. */
  #writeAtTurnEnd(controller: Dispatcher.DispatchController): void {
    this.#endsTurn ??= setImmediate(() => {
      this.#endsTurn = undefined;
      const part = this.#held;
      this.#held = undefined;
      // `#end` clears this immediate, so an exchange that has ended here has its whole answer.
      if (this.#ended) this.#endAnswer(part, controller);
      else if (part !== undefined) this.#write(part, controller);
    });
  }

  #endAnswer(last: Buffer | undefined, controller: Dispatcher.DispatchController): void {
    const { res, answered } = this.#context;
    // Node writes a text in one piece with the head; latin1 keeps every byte.
    if (last !== undefined && last.length <= maxTextBytes && !isCompressed(res))
      res.end(last.toString('latin1'), 'latin1');
    else res.end(last);
    const isTaken = res.closed || (res.writableLength === 0 && !isCompressed(res));
    if (!isTaken) this.#followClient(controller).mustPause(false);
    answered(res.statusCode);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error & { code?: string }): void {
    if (this.#ended) return;
    const { req, res } = this.#context;
    if (res.headersSent) {
      // A part of the answer is sent: only a closed connection tells the client that the rest is missing.
      this.#end(error);
      res.destroy();
      this.#context.answered(502);
      return;
    }
    if (error.code === 'UND_ERR_INVALID_ARG') {
      this.#fail(new SigcastError('INVALID_REQUEST', 'The request is malformed', { cause: error }));
      return;
    }
    const repeatable = req.method === 'GET' || req.method === 'HEAD';
    if (!this.#sent) this.#address?.markUnhealthy();
    else if (this.#answerBegan || this.#repeated || !repeatable) {
      this.#fail(unavailable('The service', error));
      return;
    } else this.#repeated = true;
    this.#lastError = error;
    this.#tryNext();
  }

  /** Sends the request to the next address. Fails when all addresses have been tried often enough. */
  #tryNext(): void {
    const { req, target, requestHeaders, body, upstream } = this.#context;
    this.#controller = undefined;
    this.#sent = false;
    this.#address = upstream.next(this.#tried);
    if (this.#address !== undefined) {
      this.#tried.add(this.#address);
      this.#address.pool.dispatch(
        {
          path: target,
          method: req.method ?? 'GET',
          headers: ['host', this.#address.host, ...requestHeaders],
          body,
        },
        this,
      );
      return;
    }
    const pauseMs = pausesMs[this.#rounds++];
    if (pauseMs === undefined) {
      this.#fail(unavailable('The service', this.#lastError));
      return;
    }
    void upstream.lookUp();
    this.#tried.clear();
    this.#pause = setTimeout(() => this.#tryNext(), pauseMs);
  }

  /** Fails the exchange. Where an answer has begun, closes the client's connection instead. */
  #fail(error: SigcastError): void {
    if (this.#ended) return;
    this.#end(error);
    if (this.#context.res.headersSent) {
      this.#context.res.destroy();
      this.#context.answered(502);
    } else this.#context.fail(error);
  }

  #end(reason: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#pause);
    clearImmediate(this.#endsTurn);
    this.#controller?.abort(reason);
  }
}
