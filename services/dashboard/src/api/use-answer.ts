import type { CallOptions, Sigcast } from '@sigcast/client';
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useSession } from './session-context.tsx';

type Ask<T> = (api: Sigcast, options: CallOptions) => Promise<T>;
type Options<T> = Omit<UseQueryOptions<T>, 'queryFn'>;

/** What the API answers to the account. */
export function useAnswer<T>(ask: Ask<T>, options: Options<T>) {
  const session = useSession();
  return useQuery({ ...options, queryFn: ({ signal }) => session.ask((api) => ask(api, { signal })) });
}

/** The data of what the API answers to the account. */
export function useData<T>(ask: Ask<{ readonly data: T }>, options: Options<T>) {
  return useAnswer(async (api, call) => (await ask(api, call)).data, options);
}
