import { useEffect } from 'react';
import { Redirect } from 'wouter';
import { hasNote, note } from '../api/notes.ts';
import { useKeys } from '../api/queries.ts';
import { useAccount } from '../api/session-context.tsx';
import { LoadingPage } from '../ui/whole-page.tsx';

/** Somebody without a key has not started yet; everybody else comes for the signals. */
export function HomePage() {
  const { id } = useAccount();
  return hasNote('key', id) ? <Redirect to="/signals" replace /> : <ByKeys account={id} />;
}

/** In a browser that does not know yet. */
function ByKeys({ account }: { account: string }) {
  const { data, isPending } = useKeys();
  const started = data !== undefined && data.length > 0;
  useEffect(() => {
    if (started) note('key', account);
  }, [started, account]);
  if (isPending) return <LoadingPage />;
  return <Redirect to={data?.length === 0 ? '/getting-started' : '/signals'} replace />;
}
