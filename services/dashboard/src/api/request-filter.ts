import { matching } from './query-values.ts';

/** Which requests are listed. A criterion that is null leaves nothing out. */
export type RequestFilter = {
  /** A class of statuses, such as 4xx, or a status. */
  readonly status: string | null;
  /** A key's identifier, or `dashboard`. */
  readonly key: string | null;
  readonly route: string | null;
  readonly requestId: string | null;
};

export const everyRequest: RequestFilter = { status: null, key: null, route: null, requestId: null };

/** The filter in a page's address. A wrong value counts as left out. */
export function requestFilterIn(search: string): RequestFilter {
  const query = new URLSearchParams(search);
  return {
    status: matching(/^[1-5](xx|\d\d)$/, query.get('status')),
    key: matching(/^(dashboard|key_[0-9a-f]{24})$/, query.get('key')),
    route: matching(/^\/[\w/{}-]{1,99}$/, query.get('route')),
    requestId: matching(/^[A-Za-z0-9._-]{8,128}$/, query.get('request_id')),
  };
}

/** The filter as a query, which is the same in a page's address and for the API. */
export function requestQuery({ status, key, route, requestId }: RequestFilter): URLSearchParams {
  return new URLSearchParams({
    ...(status !== null && { status }),
    ...(key !== null && { key }),
    ...(route !== null && { route }),
    ...(requestId !== null && { request_id: requestId }),
  });
}

/** Whether the filter leaves requests out. */
export function isFiltered(filter: RequestFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}
