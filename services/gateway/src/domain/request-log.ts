import type { ErrorCode, LoggedRequest } from '@sigcast/contracts';

/** An answered request. */
export type RequestEntry = {
  /** When the answer ended. */
  readonly at: Date;
  /** The identifier of its key; `dashboard` for the request of a session. */
  readonly key: string;
  readonly method: string;
  /** The path with parameters in braces; null for a path that the API does not have. */
  readonly route: string | null;
  readonly status: number;
  readonly code?: ErrorCode | undefined;
  readonly ms: number;
  readonly id: string;
  readonly address: string;
  readonly agent?: string | undefined;
  readonly bytes: number;
  readonly cost: number;
};

/** How many requests from `from` to `at` the log lacks. */
export type GapEntry = { readonly at: Date; readonly from: Date; readonly dropped: number };

export type LoggedEntry = RequestEntry | GapEntry;

/** Whose refused requests are counted together: the id of a live key, or all dead keys of an account. */
export type RefusedKey = `key_${string}` | 'dead';

/**
 * Notes answered requests. `entryOf` is called at once, or not at all where the log takes no more; it takes few `refused` ones.
 * Must return at once.
 */
export type NoteRequest = (account: string, entryOf: () => RequestEntry, refused?: RefusedKey) => void;

/** Which requests are asked for. Gaps are part of the answer unless one request is. */
export type RequestFilter = {
  /** Both inclusive. */
  readonly status?: { readonly from: number; readonly to: number } | undefined;
  /** A key's identifier, `dashboard`, or `programs` for all API keys. */
  readonly key?: string | undefined;
  readonly route?: string | undefined;
  readonly since?: Date | undefined;
  readonly requestId?: string | undefined;
};

/** A place in an account's log: before an entry of a bucket, or at the instant `at` without `bucket`. */
export type RequestPosition = {
  readonly at: Date;
  readonly entry?: { readonly bucket: string; readonly n: number } | undefined;
};

/** A part of an account's log, newest first. `next`: where older entries may follow. */
export type RequestsRead = {
  readonly entries: readonly LoggedEntry[];
  readonly next: RequestPosition | undefined;
};

/** Reads the log. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type RequestReads = {
  /** At most `limit` entries after a position. Examines a bounded part of the log, so it may find fewer and have a `next`. */
  page(
    account: string,
    filter: RequestFilter,
    range: { readonly limit: number; readonly after: RequestPosition | undefined },
  ): Promise<RequestsRead>;
  /** Requests with an id, of any account, 10 at most: clients choose ids, so there may be several. */
  withId(requestId: string): Promise<readonly (RequestEntry & { readonly account: string })[]>;
};

export function isGap(entry: LoggedEntry): entry is GapEntry {
  return 'dropped' in entry;
}

/** A request as its account and operators see it. */
export function requestView(entry: RequestEntry): LoggedRequest {
  const { at, id, key, method, route, status, code, ms, address, agent, bytes, cost } = entry;
  return {
    at: at.toISOString(),
    request_id: id,
    key,
    method,
    route,
    status,
    code: code ?? null,
    latency_ms: ms,
    address,
    user_agent: agent ?? null,
    bytes,
    cost,
  };
}

const cursorPattern = /^(\d{1,15})(?:\.(rq_[0-9A-Z]{26})\.(\d{1,6}))?$/;

/** A position as text that is opaque to clients. */
export function encodePosition({ at, entry }: RequestPosition): string {
  const within = entry === undefined ? '' : `.${entry.bucket}.${entry.n}`;
  return Buffer.from(`${at.getTime()}${within}`).toString('base64url');
}

/** The position that a text stands for; undefined for a text that {@link encodePosition} has not made. */
export function decodePosition(text: string): RequestPosition | undefined {
  const [, ms, bucket, n] = cursorPattern.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (ms === undefined) return undefined;
  const entry = bucket === undefined ? undefined : { bucket, n: Number(n) };
  const position = { at: new Date(Number(ms)), entry };
  return encodePosition(position) === text ? position : undefined;
}
