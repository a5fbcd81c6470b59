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
import { SlowClient } from './slow-clients.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamAddress } from './upstream-address.ts';

/** A request on its way to a service. */
export type ExchangeContext = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What the gateway itself tells in the answer's head. */
  readonly own: OutgoingHttpHeaders;
  readonly upstream: Upstream;
  /** Path and query as they were received. */
  readonly target: string;
  readonly headers: string[];
  /** Whole: it may be sent more than once. */
  readonly body: Buffer | null;
  /** A client that takes nothing for this long is cut. From a stream it can resume. */
  readonly stalledMs: number;
  /** Where the answer may be a stream: its place. */
  readonly stream?: StreamSlot | undefined;
  /** Called at most once, with what to answer instead; never after an answer began. */
  readonly fail: (error: SigcastError) => void;
  /** Called when it is over without `fail`: with the status answered; 499 when the client went away (from a stream: the stream's status), 502 when the service broke off. */
  readonly answered: (status: number) => void;
};

/** When all addresses have been tried, they are tried again after this long, in milliseconds: one may be starting. */
const pausesMs = [25, 50, 100, 200];

/**
 * One request and its answer, which is streamed. It is undici's handler for each try, all within one deadline: what was
 * not sent is tried again, whatever its method; what was sent and not answered by a byte is repeated once, if it is
 * GET or HEAD (RFC 9110, 9.2.2).
 */
export class ProxyExchange implements Dispatcher.DispatchHandler {
  readonly #passing: ExchangeContext;
  readonly #tried = new Set<UpstreamAddress>();
  #address: UpstreamAddress | undefined;
  /** Times that all addresses were tried. */
  #rounds = 0;
  #pause: NodeJS.Timeout | undefined;
  /** In this try, writing to a connection has begun. */
  #sent = false;
  #repeated = false;
  /** Why the last try failed. */
  #reason: Error | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** A byte of an answer has arrived. */
  #answered = false;
  #slow: SlowClient | undefined;
  /** Nothing that still comes matters: it is over, whoever ended it. */
  #over = false;
  /** Of what is answered there is no end. */
  #isStream = false;
  /** What it counts as when the client goes away. */
  #statusWhenLeft = 499;
  /** A 5xx answer that is read whole before it is believed. */
  #inspected: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[]; bytes: number } | undefined;

  constructor(passing: ExchangeContext) {
    this.#passing = passing;
  }

  start(): void {
    const { upstream } = this.#passing;
    this.#passing.res.on('close', () => {
      if (this.#over) return;
      this.#end(new Error('the client went away'));
      this.#passing.answered(this.#statusWhenLeft);
    });
    this.#deadline = setTimeout(() => {
      const unreached = this.#sent ? undefined : this.#reason;
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

  /** Ends an event stream as its service does, so that the client goes on elsewhere. */
  #endStream(): void {
    if (this.#over) return;
    const { res } = this.#passing;
    this.#end(new Error('the gateway stops'));
    // What the client has not taken by now it gets when it resumes.
    if (res.writableNeedDrain) res.destroy();
    else res.end();
    this.#passing.answered(res.statusCode);
  }

  /** undici calls this right before it writes. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // To abort would cost the connection, of which nothing was used yet.
    if (this.#over) throw new Error('the exchange is over');
    this.#controller = controller;
    this.#sent = true;
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
    const { req, res, own, upstream, stream } = this.#passing;
    // To HEAD undici asks for an end itself, so that such an answer tells nothing.
    if (req.method !== 'HEAD') {
      if (/\bclose\b/i.test(headers.connection ?? '')) this.#address?.doubt();
      else this.#address?.trust();
    }
    switch (checkAnswer(req.method ?? '', status, headers)) {
      case 'pass':
        if (status >= 400 && headers['cache-control'] === undefined) own['cache-control'] = 'no-store';
        res.writeHead(status, addClientHeaders(own, headers));
        if (isEventStream(headers)) {
          this.#statusWhenLeft = status;
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
    if (this.#over) return;
    const inspected = this.#inspected;
    if (inspected !== undefined) {
      inspected.bytes += chunk.length;
      if (inspected.bytes <= maxFailureBytes) inspected.chunks.push(chunk);
      return;
    }
    const { res } = this.#passing;
    if (res.write(chunk)) return;
    this.#slow ??= new SlowClient(res, this.#passing.stalledMs, () => controller.resume());
    if (this.#slow.waits(chunk.length, this.#isStream)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    const { res, own, upstream } = this.#passing;
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
    own['cache-control'] = 'no-store';
    res.writeHead(status, addClientHeaders(own, headers)).end(body);
    this.#passing.answered(status);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error & { code?: string }): void {
    if (this.#over) return;
    const { req, res } = this.#passing;
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
    const repeatable = req.method === 'GET' || req.method === 'HEAD';
    if (!this.#sent) this.#address?.doubt();
    else if (this.#answered || this.#repeated || !repeatable) {
      this.#fail(unavailable('The service', error));
      return;
    } else this.#repeated = true;
    this.#reason = error;
    this.#tryNext();
  }

  /** Asks the next address; in the end, answers that there is none. */
  #tryNext(): void {
    const { req, target, headers, body, upstream } = this.#passing;
    this.#controller = undefined;
    this.#sent = false;
    this.#address = upstream.next(this.#tried);
    if (this.#address !== undefined) {
      this.#tried.add(this.#address);
      this.#address.pool.dispatch(
        {
          path: target,
          method: req.method ?? 'GET',
          headers: ['host', this.#address.host, ...headers],
          body,
        },
        this,
      );
      return;
    }
    const pauseMs = pausesMs[this.#rounds++];
    if (pauseMs === undefined) {
      this.#fail(unavailable('The service', this.#reason));
      return;
    }
    void upstream.look();
    this.#tried.clear();
    this.#pause = setTimeout(() => this.#tryNext(), pauseMs);
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
    clearTimeout(this.#pause);
    this.#controller?.abort(reason);
  }
}
