import type { ListMeta } from '@sigcast/client';
import { SigcastConnectionError, SigcastError } from '@sigcast/client';
import { serviceAnswers } from './connection.ts';

/** The code where the API did not answer. */
export const unreachable = 'UNREACHABLE';

/** A request that was refused or got no answer; then its `status` is 0. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Names the request in the service's logs; undefined where something else answered. */
  readonly requestId: string | undefined;
  /** What is wrong with each field, by the field's name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterS: number | undefined;
  /** The same as an instant of this browser's clock, in milliseconds. */
  readonly retryAtMs: number | undefined;

  constructor(status: number, error: Partial<Failure>) {
    super(error.message ?? 'The service cannot be reached. Check your connection and try again.');
    this.name = 'ApiError';
    this.status = status;
    this.code = error.code ?? unreachable;
    this.requestId = error.request_id;
    this.fields = Object.fromEntries((error.details ?? []).map(({ field, message }) => [field, message]));
    this.retryAfterS = error.retry_after;
    this.retryAtMs = this.retryAfterS === undefined ? undefined : Date.now() + this.retryAfterS * 1_000;
  }
}

type Failure = {
  readonly code: string;
  readonly message: string;
  readonly request_id?: string | undefined;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
  readonly retry_after?: number;
};

/** A successful answer. */
export type Answer<T> = { readonly data: T; readonly meta: ListMeta };

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type SendOptions = {
  readonly body?: unknown;
  readonly token?: string;
  readonly signal?: AbortSignal;
  /** Lets the request finish after the page is left. */
  readonly keepalive?: boolean;
};

/** Sends one request to our own origin and takes the data out of the envelope. @throws {ApiError} unless it succeeds. */
export async function send<T>(method: Method, path: string, options: SendOptions = {}): Promise<Answer<T>> {
  const { body, token, signal, keepalive } = options;
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
      ...(keepalive !== undefined && { keepalive }),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    void serviceAnswers();
    throw new ApiError(0, {});
  }
  if (response.ok) return (text === '' ? {} : JSON.parse(text)) as Answer<T>;
  throw new ApiError(response.status, failureIn(text));
}

/** Fetches a file from our own origin. @throws {ApiError} unless it succeeds. */
export async function download(path: string, token: string): Promise<Blob> {
  let response: Response;
  let file: Blob;
  try {
    response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
    file = await response.blob();
  } catch {
    void serviceAnswers();
    throw new ApiError(0, {});
  }
  if (response.ok) return file;
  throw new ApiError(response.status, failureIn(await file.text()));
}

/** Throws an error of the API's client as those of `send`. @throws {ApiError} */
export function refusedAs(error: unknown): never {
  if (error instanceof SigcastConnectionError) {
    void serviceAnswers();
    throw new ApiError(0, {});
  }
  if (!(error instanceof SigcastError)) throw error;
  const { status, code, message, requestId, details, retryAfterS } = error;
  const known = code === 'UNEXPECTED_ANSWER' ? {} : { code, message, request_id: requestId, details };
  throw new ApiError(status, { ...known, ...(retryAfterS !== undefined && { retry_after: retryAfterS }) });
}

/** The error in an answer. Empty when the answer is not our envelope, for example that of a proxy in between. */
function failureIn(text: string): Partial<Failure> {
  try {
    return (JSON.parse(text) as { error?: Failure }).error ?? {};
  } catch {
    return {};
  }
}
