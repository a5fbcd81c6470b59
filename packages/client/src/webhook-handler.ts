import { wholeNumber } from './rate-limit.ts';
import {
  type VerifyOptions,
  verifyWebhookBatch,
  type WebhookBody,
  WebhookVerificationError,
} from './verify-webhook.ts';
import { readHeader, type WebhookHeaders } from './webhook-headers.ts';
import { keysOf } from './webhook-signature.ts';

/** Information about a delivery. */
export type WebhookDelivery = {
  /** The event's id: the same for every delivery of this event, also in a batch. */
  readonly id: string;
  /** Of the delivery, or of its batch, from 1. */
  readonly attempt: number;
};

export type WebhookHandlerOptions = VerifyOptions & {
  /** The subscription's secret, `whsec_` and base64; or several secrets, any of which may have signed. */
  readonly secret: string | readonly string[];
  /**
   * Called for every event of a genuine delivery, one after another in a batch. The answer is 200 once this resolves. When it
   * rejects, the answer is 500, and the API sends the delivery again, of a batch all events. The API waits 5 s for the answer.
   */
  readonly handle: (payload: WebhookBody, delivery: WebhookDelivery) => unknown;
  /**
   * Called with what `handle` throws, and with errors that prevent a call of `handle`. The answer waits until this resolves.
   * Default: writes to the console, as do errors of `onError` itself.
   */
  readonly onError?: (error: unknown) => unknown;
};

/** A request of Node's `http`, of Express, or the `raw` one of Fastify. */
export type NodeWebhookRequest = AsyncIterable<Uint8Array> & {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Set when something has read the body before, such as `express.raw`. */
  readonly body?: unknown;
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
};

/** A response of Node's `http`, of Express, or the `raw` one of Fastify. */
export type NodeWebhookResponse = {
  readonly headersSent?: boolean;
  readonly writableEnded?: boolean;
  writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown };
};

/** The largest accepted body, in bytes: more than any delivery has. Strangers can't fill the memory. */
const maxBodyBytes = 1_000_000;

type Answer = { readonly status: number; readonly text: string; readonly allow?: string };

/**
 * Receives webhooks where a handler gets a `Request` and returns a `Response`: Next, Hono, Deno, Bun, workers.
 * Requests that are not genuine get the answer 400. The handler never rejects.
 * @throws {TypeError} when a secret is invalid.
 */
export function webhookHandler(options: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  keysOf(options.secret);
  return async ({ method, headers, body, bodyUsed }) => {
    const read = async () => {
      if (bodyUsed || body?.locked) throw bodyLost();
      return readAll(body === null ? [] : chunksOf(body));
    };
    const { status, text, allow } = await answer(options, { method, headers, read });
    return new Response(text, { status, headers: headersOf(allow) });
  };
}

/**
 * Receives webhooks in Node's `http`, Express and Fastify. Requests that are cut off or not genuine get the answer 400. The
 * handler never rejects, and changes no answer that something else has begun.
 * @throws {TypeError} when a secret is invalid.
 */
export function nodeWebhookHandler(
  options: WebhookHandlerOptions,
): (request: NodeWebhookRequest, response: NodeWebhookResponse) => Promise<void> {
  keysOf(options.secret);
  return async (request, response) => {
    const { method = '', headers, body } = request;
    const read = async () => {
      if (typeof body === 'string' || body instanceof Uint8Array) return body;
      if (body !== undefined || request.readableDidRead || request.readableEnded) throw bodyLost();
      return readAll(request);
    };
    const { status, text, allow } = await answer(options, { method, headers, read });
    if (response.headersSent || response.writableEnded) return;
    response.writeHead(status, headersOf(allow)).end(text);
  };
}

async function answer(
  options: WebhookHandlerOptions,
  request: {
    readonly method: string;
    readonly headers: WebhookHeaders;
    readonly read: () => Promise<string | Uint8Array>;
  },
): Promise<Answer> {
  const { secret, handle, onError = (error) => console.error(error), ...verification } = options;
  const { method, headers, read } = request;
  if (method !== 'POST') return { status: 405, text: 'Only POST', allow: 'POST' };
  try {
    const body = await read();
    const events = await verifyWebhookBatch(body, headers, secret, verification);
    const attempt = wholeNumber(readHeader(headers, 'webhook-attempt') ?? null) ?? 1;
    for (const { id, ...payload } of events) await handle(payload, { id, attempt });
    return { status: 200, text: 'Received' };
  } catch (error) {
    if (error instanceof TooLarge) return { status: 413, text: 'Too large' };
    if (error instanceof CutOff) return { status: 400, text: 'The body was cut off' };
    if (error instanceof WebhookVerificationError) return { status: 400, text: error.reason };
    try {
      await onError(error);
    } catch (unexpected) {
      console.error(error, unexpected);
    }
    return { status: 500, text: 'The event could not be handled' };
  }
}

function bodyLost(): TypeError {
  return new TypeError(
    'The body was read before, and its bytes are lost: put this handler before what reads it, such as express.json()',
  );
}

class TooLarge extends Error {}
class CutOff extends Error {}

async function readAll(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > maxBodyBytes) throw new TooLarge();
      read.push(chunk);
    }
  } catch (error) {
    throw error instanceof TooLarge ? error : new CutOff();
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of read) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** Reads a stream without `for await`, which not every platform supports. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function headersOf(allow: string | undefined): Record<string, string> {
  return { 'content-type': 'text/plain; charset=utf-8', ...(allow !== undefined && { allow }) };
}
