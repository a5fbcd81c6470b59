import type { IncomingHttpHeaders } from 'node:http';
import { errorStatus, SigcastError, unavailable } from '@sigcast/contracts';

/** A failure's body is small; a longer one is not ours. */
export const maxFailureBytes = 64 * 1024;

/** Server-sent events: an answer that goes on for as long as the client likes. */
const streamType = /^text\/event-stream\b/i;

const jsonType = /^application\/(?:[\w.-]+\+)?json\b/i;

/**
 * What to do with a service's answer, by its head: `pass` it on as it comes, `inspect` its body first (a 5xx must be
 * our envelope, else it tells of the inside), or replace it because it is `broken`.
 */
export function checkAnswer(
  method: string,
  status: number,
  headers: IncomingHttpHeaders,
): 'pass' | 'inspect' | 'broken' {
  // 401: the service refuses our identity token, which is between it and us; the client's key is good.
  if (status === 401) return 'broken';
  if (status === 204 || status === 304) return 'pass';
  if (status >= 300 && status < 400) return 'broken';
  const type = headers['content-type'];
  if (method === 'HEAD' && type === undefined && status < 300) return 'pass';
  if (status === 200 && isEventStream(headers)) return 'pass';
  if (type === undefined || !jsonType.test(type)) return 'broken';
  return status >= 500 && method !== 'HEAD' ? 'inspect' : 'pass';
}

/** Whether an answer has no end of its own, so that the client's leaving is its proper one. */
export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return streamType.test(headers['content-type'] ?? '');
}

/** Whether a body is a failure in the one envelope, with a code under its own status. */
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
 * What a client hears in place of an answer that is not ours. A service (or something between) that says it is
 * overloaded or too slow is believed; a request its parser refused is the client's fault; all else is a fault of ours.
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
