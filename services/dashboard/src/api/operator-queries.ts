import type {
  OperatorAccountDetail,
  OperatorAccounts,
  OperatorChange,
  OperatorLogView,
  OperatorPlan,
  OperatorSystem,
  OperatorWebhook,
} from '@sigcast/contracts';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, type Method, type SendOptions } from './http.ts';
import { useSession } from './session-context.tsx';

const root = '/account/operator';
const queryKeys = {
  all: ['operator'],
  accounts: ['operator', 'accounts'],
  log: ['operator', 'log'],
} as const;

/** Asks a route for operators. If the answer is 404, the account may be no operator any more: that is looked up. */
function useOperatorCall() {
  const session = useSession();
  return async <T>(method: Method, path: string, options: Omit<SendOptions, 'token'> = {}): Promise<T> => {
    try {
      return (await session.call<T>(method, root + path, options)).data;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) void session.start();
      throw error;
    }
  };
}

/** Accounts page by page: the newest first, or those whose e-mail address begins with `search`. */
export function useOperatorAccounts(search: string) {
  const call = useOperatorCall();
  return useInfiniteQuery({
    queryKey: [...queryKeys.accounts, search],
    queryFn: ({ signal, pageParam }) =>
      call<OperatorAccounts>('GET', `/accounts${queryOf({ q: search, after: pageParam })}`, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

export function useOperatorAccount(id: string) {
  const call = useOperatorCall();
  return useQuery({
    queryKey: [...queryKeys.accounts, 'one', id],
    queryFn: ({ signal }) =>
      call<OperatorAccountDetail>('GET', `/accounts/${encodeURIComponent(id)}`, { signal }),
  });
}

export function useOperatorPlans(enabled: boolean) {
  const call = useOperatorCall();
  return useQuery({
    queryKey: [...queryKeys.all, 'plans'],
    queryFn: ({ signal }) => call<OperatorPlan[]>('GET', '/plans', { signal }),
    enabled,
  });
}

/** What operators did, page by page, newest first: to one account, or to all. */
export function useOperatorLog(account?: string) {
  const call = useOperatorCall();
  return useInfiniteQuery({
    queryKey: [...queryKeys.log, account],
    queryFn: ({ signal, pageParam }) =>
      call<OperatorLogView>('GET', `/log${queryOf({ account, after: pageParam })}`, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
}

/** How old what is shown of services may be, in milliseconds. */
const systemRefreshMs = 15_000;

export function useFailingWebhooks() {
  const call = useOperatorCall();
  return useQuery({
    queryKey: [...queryKeys.all, 'webhooks'],
    queryFn: ({ signal }) => call<OperatorWebhook[]>('GET', '/webhooks', { signal }),
    refetchInterval: systemRefreshMs,
  });
}

export function useSystem() {
  const call = useOperatorCall();
  return useQuery({
    queryKey: [...queryKeys.all, 'system'],
    queryFn: ({ signal }) => call<OperatorSystem>('GET', '/system', { signal }),
    refetchInterval: systemRefreshMs,
  });
}

/** Changes an account, and requests everything again that operators see. */
export function useOperatorChange(id: string) {
  const call = useOperatorCall();
  const queries = useQueryClient();
  return async (body: OperatorChange): Promise<void> => {
    try {
      await call<OperatorAccountDetail>('PATCH', `/accounts/${encodeURIComponent(id)}`, { body });
    } finally {
      // Also after a failure: the change may have been made.
      await queries.invalidateQueries({ queryKey: queryKeys.all });
    }
  };
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
