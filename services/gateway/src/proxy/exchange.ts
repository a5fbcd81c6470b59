import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { SigcastError, unavailable } from '@sigcast/contracts';
import type { Dispatcher } from 'undici';
import {
  isEventStream,
  isFailureEnvelope,
  judgeAnswer,
  lateMessage,
  maxFailureBytes,
  replaceAnswer,
} from './answer-check.ts';
import { clientHeaders } from './headers.ts';
import { BodyTooLarge } from './request-body.ts';
import type { Upstream, UpstreamAddress } from './upstream.ts';

/** A request on its way to a service. */
export type Passing = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly upstream: Upstream;
  /** Path and query as they were received. */
  readonly target: string;
  readonly headers: string[];
  readonly body: Transform | null;
  /** Called at most once, with what to answer instead; never after an answer began. */
  readonly fail: (error: SigcastError) => void;
  /** Called when it is over without `fail`: with the status answered; 499 when the client went away (from a stream: the stream's status), 502 when the service broke off. */
  readonly answered: (status: number) => void;
};

/** Connection refused, not routed, not resolved, not made in time: nothing was sent. */
const connectErrors = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Bytes of an answer that are kept while its request is being counted; the rest waits at the service. */
const maxHeldBytes = 64 * 1024;

/**
 * One request and its answer, streamed both ways. It is undici's handler for each address it tries, one after the
 * other: only GET and HEAD of which no byte was answered are tried at another address, all within one deadline.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #passing: Passing;
  readonly #addresses: readonly UpstreamAddress[];
  #tried = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** A byte of an answer has arrived. */
  #answered = false;
  /** Nothing that still comes matters: it is over, whoever ended it. */
  #over = false;
  /** What it counts as when the client goes away. */
  #statusWhenLeft = 499;
  /** What has happened and must not be seen before the request is admitted; undefined: everything is seen at once. */
  #held: (() => void)[] | undefined;
  #heldBytes = 0;
  /** The client is to take what it was sent before more follows. */
  #draining = false;
  /** A 5xx answer that is read whole before it is believed. */
  #inspected: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[]; bytes: number } | undefined;

  constructor(passing: Passing) {
    this.#passing = passing;
    this.#addresses = passing.upstream.candidates();
  }

  /** Begins. `held`: nothing of it is seen, neither an answer nor its end, before `release`. */
  start({ held = false } = {}): void {
    if (held) this.#held = [];
    const { req, res, body } = this.#passing;
    res.once('close', () => {
      if (this.#over) return;
      this.#end(new Error('the client went away'));
      this.#show(() => this.#passing.answered(this.#statusWhenLeft));
    });
    body?.once('error', (error) => {
      if (error instanceof BodyTooLarge) {
        this.#fail(new SigcastError('PAYLOAD_TOO_LARGE', 'The body is over 100 kB', { cause: error }));
      }
    });
    // The time an answer may take begins when the client has said all it has to say.
    if (body === null) this.#startDeadline();
    else req.once('end', () => this.#startDeadline());
    this.#tryNext();
  }

  /** The request is admitted. */
  release(): void {
    const events = this.#held ?? [];
    this.#held = undefined;
    try {
      for (const event of events) event();
    } catch (error) {
      this.#goOn(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** The request is not admitted: what the service says is not passed on. */
  drop(): void {
    this.#held = undefined;
    this.#end(new Error('the request was refused'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // To abort would cost the connection, of which nothing was used yet.
    if (this.#over) throw new Error('the exchange is over');
    this.#controller = controller;
  }

  onResponseStarted(): void {
    this.#answered = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200 || this.#over) return;
    this.#answered = true;
    clearTimeout(this.#deadline);
    this.#show(() => this.#begin(controller, status, headers));
  }

  #begin(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#over) return;
    const { req, res, upstream } = this.#passing;
    switch (judgeAnswer(req.method ?? '', status, headers)) {
      case 'pass':
        if (status >= 400 && headers['cache-control'] === undefined)
          res.setHeader('Cache-Control', 'no-store');
        res.writeHead(status, clientHeaders(headers));
        if (isEventStream(headers)) this.#statusWhenLeft = status;
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
    if (this.#held !== undefined) this.#heldBytes += chunk.length;
    if (this.#heldBytes <= maxHeldBytes) {
      this.#show(() => this.#pass(controller, chunk));
      return;
    }
    controller.pause();
    this.#show(() => {
      this.#heldBytes = 0;
      if (this.#pass(controller, chunk)) controller.resume();
    });
  }

  /** Returns whether more may follow at once. */
  #pass(controller: Dispatcher.DispatchController, chunk: Buffer): boolean {
    if (this.#over) return true;
    const inspected = this.#inspected;
    if (inspected !== undefined) {
      inspected.bytes += chunk.length;
      if (inspected.bytes <= maxFailureBytes) inspected.chunks.push(chunk);
      return true;
    }
    const { res } = this.#passing;
    if (res.write(chunk)) return true;
    controller.pause();
    if (!this.#draining) {
      this.#draining = true;
      res.once('drain', () => {
        this.#draining = false;
        controller.resume();
      });
    }
    return false;
  }

  onResponseEnd(): void {
    this.#show(() => this.#finish());
  }

  #finish(): void {
    if (this.#over) return;
    const { res, upstream } = this.#passing;
    const inspected = this.#inspected;
    if (inspected === undefined) {
      this.#over = true;
      res.end();
      this.#passing.answered(res.statusCode);
      return;
    }
    const { status, headers, bytes } = inspected;
    const body = Buffer.concat(inspected.chunks);
    if (bytes > maxFailureBytes || !isFailureEnvelope(body, status)) {
      this.#fail(replaceAnswer(upstream.name, status));
      return;
    }
    this.#over = true;
    res.setHeader('Cache-Control', 'no-store');
    res.writeHead(status, clientHeaders(headers)).end(body);
    this.#passing.answered(status);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error & { code?: string }): void {
    // Of an answer that is broken off before any of it was seen, nothing is.
    if (this.#held !== undefined && !this.#over) this.#held = [];
    this.#show(() => this.#goOn(error));
  }

  /** Tries the next address, or ends. */
  #goOn(error: Error & { code?: string }): void {
    if (this.#over) return;
    const { req, res, upstream } = this.#passing;
    if (res.headersSent) {
      // Half an answer is out: a cut connection is the only honest end.
      this.#end(error);
      res.destroy();
      this.#passing.answered(502);
      return;
    }
    if (error.code === 'UND_ERR_INVALID_ARG') {
      this.#fail(new SigcastError('INVALID_REQUEST', 'The request is malformed', { cause: error }));
      return;
    }
    const address = this.#addresses[this.#tried - 1];
    if (address !== undefined && connectErrors.has(error.code ?? '')) upstream.avoid(address);
    const repeatable = req.method === 'GET' || req.method === 'HEAD';
    if (repeatable && !this.#answered && this.#tried < this.#addresses.length) this.#tryNext();
    else this.#fail(unavailable('The service', error));
  }

  #tryNext(): void {
    const { req, target, headers, body } = this.#passing;
    const address = this.#addresses[this.#tried];
    this.#tried += 1;
    this.#controller = undefined;
    address?.pool.dispatch({ path: target, method: req.method ?? 'GET', headers, body }, this);
  }

  #startDeadline(): void {
    if (this.#over || this.#answered) return;
    this.#deadline = setTimeout(() => {
      this.#fail(new SigcastError('GATEWAY_TIMEOUT', lateMessage));
    }, this.#passing.upstream.timeouts.headersMs);
  }

  /** Answers with an error of ours, unless an answer has begun or it is over. */
  #fail(error: SigcastError): void {
    if (this.#over) return;
    this.#end(error);
    this.#show(() => {
      if (this.#passing.res.headersSent) {
        this.#passing.res.destroy();
        this.#passing.answered(502);
      } else this.#passing.fail(error);
    });
  }

  /** Lets something be seen, now or when the request is admitted. */
  #show(event: () => void): void {
    if (this.#held === undefined) event();
    else this.#held.push(event);
  }

  #end(reason: Error): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#deadline);
    this.#controller?.abort(reason);
    this.#passing.body?.destroy();
  }
}
