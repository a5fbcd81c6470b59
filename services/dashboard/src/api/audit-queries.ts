import type { AuditAction, AuditEntryView } from '@sigcast/contracts';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { download } from './http.ts';
import { useSession } from './session-context.tsx';

const perPage = 50;

/** The query of the list and its export. Without `action`: every entry. */
function queryOf(given: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(given).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return new URLSearchParams(known).toString();
}

/** What happened to the account, newest first, page by page. */
export function useAudit(action: AuditAction | undefined) {
  const session = useSession();
  return useInfiniteQuery({
    queryKey: ['audit', action],
    queryFn: async ({ signal, pageParam }) => {
      const query = queryOf({ action, cursor: pageParam, limit: String(perPage) });
      const { data, meta } = await session.call<AuditEntryView[]>('GET', `/account/audit?${query}`, {
        signal,
      });
      return { entries: data, next: meta.next_cursor ?? null };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

/** @returns a function that downloads the log as CSV. */
export function useAuditExport(action: AuditAction | undefined): () => Promise<Blob> {
  const session = useSession();
  const path = `/account/audit/export?${queryOf({ action, format: 'csv' })}`;
  return () => session.authorised((token) => download(path, token));
}
