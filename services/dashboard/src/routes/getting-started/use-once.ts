import { useEffect } from 'react';
import { useAccount } from '../../api/session-context.tsx';

/**
 * Whether something was ever so, as far as this browser has seen: what somebody has done stays done when a key is
 * revoked, a webhook deleted, or the log has forgotten.
 */
export function useOnce(what: string, now: boolean): boolean {
  const { id } = useAccount();
  const name = `sigcast-${what}-${id}`;
  useEffect(() => {
    if (now) localStorage.setItem(name, '1');
  }, [name, now]);
  return now || localStorage.getItem(name) !== null;
}
