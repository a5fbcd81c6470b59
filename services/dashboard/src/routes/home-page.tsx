import { useEffect } from 'react';
import { Redirect } from 'wouter';
import { hasNote, note } from '../api/notes.ts';
import { useKeys } from '../api/queries.ts';
import { useAccount } from '../api/session-context.tsx';
import { LoadingPage } from '../ui/whole-page.tsx';

/** Leads to the first steps if the account has no key, otherwise to the signals. */
export function HomePage() {
  const { id } = useAccount();
  return hasNote('key', id) ? <Redirect to="/signals" replace /> : <ByKeys account={id} />;
}

/** For a browser that does not know yet whether the account has a key. */
function ByKeys({ account }: { account: string }) {
  const { data, isPending } = useKeys();
  const started = data !== undefined && data.length > 0;
  useEffect(() => {
    if (started) note('key', account);
  }, [started, account]);
  if (isPending) return <LoadingPage />;
  return <Redirect to={data?.length === 0 ? '/getting-started' : '/signals'} replace />;
}
