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
  /** A 5xx answer that is read whole before it is believed. */
  #inspected: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[]; bytes: number } | undefined;

  constructor(passing: Passing) {
    this.#passing = passing;
    this.#addresses = passing.upstream.candidates();
  }

  start(): void {
    const { req, res, body } = this.#passing;
    res.once('close', () => {
      if (this.#over) return;
      this.#end(new Error('the client went away'));
      this.#passing.answered(this.#statusWhenLeft);
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('the exchange is over'));
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
    if (this.#over) return;
    const inspected = this.#inspected;
    if (inspected !== undefined) {
      inspected.bytes += chunk.length;
      if (inspected.bytes <= maxFailureBytes) inspected.chunks.push(chunk);
      return;
    }
    const { res } = this.#passing;
    if (!res.write(chunk)) {
      controller.pause();
      res.once('drain', () => controller.resume());
    }
  }

  onResponseEnd(): void {
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
    if (this.#passing.res.headersSent) {
      this.#passing.res.destroy();
      this.#passing.answered(502);
    } else this.#passing.fail(error);
  }

  #end(reason: Error): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#deadline);
    this.#controller?.abort(reason);
    this.#passing.body?.destroy();
  }
}
