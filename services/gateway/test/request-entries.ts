import type { RequestEntry } from '../src/domain/request-log.ts';

/** An entry of the log of requests, answered at an instant in Unix milliseconds. */
export function requestAt(atMs: number, entry: Partial<RequestEntry> = {}): RequestEntry {
  return {
    at: new Date(atMs),
    key: 'key_000000000000000000000000',
    method: 'GET',
    route: '/v1/signals',
    status: 200,
    ms: 1,
    id: `req_${atMs}`,
    address: '192.0.2.1',
    bytes: 100,
    cost: 1,
    ...entry,
  };
}
