import { invalidRequest, type ListRequestsQuery, type RequestGap } from '@sigcast/contracts';
import { documentedRoutes } from '../../domain/api-routes.ts';
import {
  decodePosition,
  encodePosition,
  type GapEntry,
  isGap,
  type RequestFilter,
  type RequestPosition,
  requestView,
} from '../../domain/request-log.ts';
import type { AccountHandlers } from './caller.ts';
import type { AccountDeps } from './deps.ts';

/** `GET /account/requests` */
export function listRequests({ requests }: AccountDeps): AccountHandlers['listRequests'] {
  return async ({ query, caller: { account } }) => {
    const range = { limit: query.limit, after: positionOf(query.cursor) };
    const { entries, next } = await requests.page(account.id, filterOf(query), range);
    return {
      data: entries.flatMap((entry) => (isGap(entry) ? [] : [requestView(entry)])),
      meta: {
        gaps: entries.flatMap((entry) => (isGap(entry) ? [gapView(entry)] : [])),
        next_cursor: next === undefined ? null : encodePosition(next),
      },
    };
  };
}

function gapView({ from, at, dropped }: GapEntry): RequestGap {
  return { from: from.toISOString(), until: at.toISOString(), dropped };
}

/** @throws {SigcastError} INVALID_REQUEST naming `route` where the API has no such path. */
function filterOf({ status, key, route, since, request_id: requestId }: ListRequestsQuery): RequestFilter {
  if (route !== undefined && !documentedRoutes.has(route)) {
    const message = 'must be a path of the API with parameters in braces, such as /v1/signals/{signal_id}';
    throw invalidRequest([{ field: 'route', message }]);
  }
  return { status: status === undefined ? undefined : statusRange(status), key, route, since, requestId };
}

function statusRange(status: string): { from: number; to: number } {
  if (!status.endsWith('xx')) return { from: Number(status), to: Number(status) };
  const from = Number(status[0]) * 100;
  return { from, to: from + 99 };
}

function positionOf(cursor: string | undefined): RequestPosition | undefined {
  const position = cursor === undefined ? undefined : decodePosition(cursor);
  if (cursor !== undefined && position === undefined) {
    throw invalidRequest([
      { field: 'cursor', message: 'must be a meta.next_cursor that this list has given' },
    ]);
  }
  return position;
}
