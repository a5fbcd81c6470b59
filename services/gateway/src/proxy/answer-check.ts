import type { IncomingHttpHeaders } from 'node:http';
import { errorStatus, SigcastError, unavailable } from '@sigcast/contracts';

/** The bodies of our own errors are shorter than this. */
export const maxFailureBytes = 64 * 1024;

/** The media type of server-sent events. */
const streamType = /^text\/event-stream\b/i;

const jsonType = /^application\/(?:[\w.-]+\+)?json\b/i;

/**
 * Decides by status and headers what to do with a service's answer: `pass` streams it to the client, `inspect` reads the
 * body first (a 5xx that is not our envelope could show internals), `broken` replaces the answer by an error.
 */
export function checkAnswer(
  method: string,
  status: number,
  headers: IncomingHttpHeaders,
): 'pass' | 'inspect' | 'broken' {
  // 401: the service refuses the gateway's identity token. The client's key is valid.
  if (status === 401) return 'broken';
  if (status === 204 || status === 304) return 'pass';
  if (status >= 300 && status < 400) return 'broken';
  const type = headers['content-type'];
  if (method === 'HEAD' && type === undefined && status < 300) return 'pass';
  if (status === 200 && isEventStream(headers)) return 'pass';
  if (type === undefined || !jsonType.test(type)) return 'broken';
  return status >= 500 && method !== 'HEAD' ? 'inspect' : 'pass';
}

/** Whether an answer is an event stream, which normally ends when the client closes it. */
export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return streamType.test(headers['content-type'] ?? '');
}

/** Whether a body is an error in our envelope, with a code that belongs to this status. */
export function isFailureEnvelope(body: Buffer, status: number): boolean {
  try {
    const parsed = JSON.parse(body.toString('utf8')) as {
      success?: unknown;
      error?: { code?: unknown; message?: unknown };
    } | null;
    const { code, message } = parsed?.error ?? {};
    if (parsed?.success !== false || typeof code !== 'string' || typeof message !== 'string') return false;
    return Object.hasOwn(errorStatus, code) && errorStatus[code as keyof typeof errorStatus] === status;
  } catch {
    return false;
  }
}

/**
 * The error that replaces an answer which is not in our envelope: 502 and 503 become SERVICE_UNAVAILABLE, 504 becomes
 * GATEWAY_TIMEOUT, a request that the service's HTTP parser refused becomes INVALID_REQUEST, all else INTERNAL_ERROR.
 */
export function replaceAnswer(service: string, status: number): SigcastError {
  const cause = new Error(`${service} answered ${status} with something that is not an API answer`);
  if (status === 502 || status === 503) return unavailable('The service', cause);
  if (status === 504) return new SigcastError('GATEWAY_TIMEOUT', lateMessage, { cause });
  if (status === 400 || status === 414 || status === 431) {
    return new SigcastError('INVALID_REQUEST', 'The request is malformed', { cause });
  }
  return new SigcastError('INTERNAL_ERROR', 'Something went wrong on our side', { cause });
}

export const lateMessage = 'The service did not answer in time';
