import type { SendResult } from '../domain/attempt-ports.ts';
import type { Answer } from './post.ts';

/** A request of an attempt, and how its answer is read. */
export type Request = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly read: (answer: Answer) => SendResult;
};

/** The headers of every request. */
export function jsonHeaders(body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Sigcast-Webhooks/1.0',
  };
}
