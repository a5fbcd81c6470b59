import { useEffect } from 'react';
import { hasNote, note } from '../../api/notes.ts';
import { useAccount } from '../../api/session-context.tsx';

/**
 * Whether something was ever so, as far as this browser has seen: what somebody has done stays done when a key is
 * revoked, a webhook deleted, or the log has forgotten.
 */
export function useOnce(what: string, now: boolean): boolean {
  const { id } = useAccount();
  useEffect(() => {
    if (now) note(what, id);
  }, [what, id, now]);
  return now || hasNote(what, id);
}
