import { matching } from './query-values.ts';

/** Which requests are listed. A criterion that is null leaves nothing out. */
export type RequestFilter = {
  /** A class of statuses, such as 4xx, or a status. */
  readonly status: string | null;
  /** A key's identifier, `programs` for all API keys, or `dashboard`. */
  readonly key: string | null;
  readonly route: string | null;
  readonly requestId: string | null;
};

export const everyRequest: RequestFilter = { status: null, key: null, route: null, requestId: null };
/** What the page shows first: its own requests would hide those of programs. */
export const requestsOfPrograms: RequestFilter = { ...everyRequest, key: 'programs' };

/** The filter in a page's address. A wrong value counts as left out. */
export function requestFilterIn(search: string): RequestFilter {
  const query = new URLSearchParams(search);
  const requestId = matching(/^[A-Za-z0-9._-]{8,128}$/, query.get('request_id'));
  const key = matching(/^(all|programs|dashboard|key_[0-9a-f]{24})$/, query.get('key'));
  return {
    status: matching(/^[1-5](xx|\d\d)$/, query.get('status')),
    // Who looks for one request does not have to know whose it is.
    key: key === 'all' ? null : (key ?? (requestId === null ? 'programs' : null)),
    route: matching(/^\/[\w/{}-]{1,99}$/, query.get('route')),
    requestId,
  };
}

/** The filter as a query for the API. */
export function requestQuery({ status, key, route, requestId }: RequestFilter): URLSearchParams {
  return new URLSearchParams({
    ...(status !== null && { status }),
    ...(key !== null && { key }),
    ...(route !== null && { route }),
    ...(requestId !== null && { request_id: requestId }),
  });
}

/** The filter as the query of the page's address, without what the page shows anyway. */
export function requestSearch(filter: RequestFilter): URLSearchParams {
  const query = requestQuery(filter);
  if (filter.key === (filter.requestId === null ? 'programs' : null)) query.delete('key');
  else query.set('key', filter.key ?? 'all');
  return query;
}

/** Whether the filter leaves requests out, besides those of the dashboard. */
export function isFiltered({ key, ...others }: RequestFilter): boolean {
  return ![null, 'programs'].includes(key) || Object.values(others).some((value) => value !== null);
}
