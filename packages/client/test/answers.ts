import type { ServerResponse } from 'node:http';
import type { ReceiverStep } from '@sigcast/testing';

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'req_12345678',
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
  'x-ratelimit-reset': '1767225660',
};

/** A successful answer as the API gives it. */
export function success(data: unknown, meta?: unknown): ReceiverStep {
  return send(200, { success: true, data, ...(meta !== undefined && { meta }) });
}

/** A failure as the API gives it. */
export function failure(
  status: number,
  code: string,
  { retryAfterS }: { retryAfterS?: number } = {},
): ReceiverStep {
  const error = { code, message: `${code} it is`, request_id: headers['x-request-id'] };
  const more = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  return send(status, { success: false, error: { ...error, retry_after: retryAfterS } }, more);
}

function send(status: number, body: unknown, more: Readonly<Record<string, string>> = {}): ReceiverStep {
  return (response) => response.writeHead(status, { ...headers, ...more }).end(JSON.stringify(body));
}

/** An event stream: its headers, then what `write` writes. */
export function eventStream(write: (response: ServerResponse) => void): ReceiverStep {
  return (response) => {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    response.flushHeaders();
    write(response);
  };
}
