import { Redirect } from 'wouter';
import { useKeys } from '../api/queries.ts';
import { LoadingPage } from '../ui/whole-page.tsx';

/** Somebody without a key has not started yet; everybody else comes for the signals. */
export function HomePage() {
  const keys = useKeys();
  if (keys.isPending) return <LoadingPage />;
  return <Redirect to={keys.data?.length === 0 ? '/getting-started' : '/signals'} replace />;
}
