import { useEffect } from 'react';
import { hasNote, note } from '../../api/notes.ts';
import { useAccount } from '../../api/session-context.tsx';

/**
 * Whether something was ever true, as far as this browser has seen: a finished step stays finished when a key is revoked, a
 * webhook is deleted, or the log ends.
 */
export function useOnce(what: string, now: boolean): boolean {
  const { id } = useAccount();
  useEffect(() => {
    if (now) note(what, id);
  }, [what, id, now]);
  return now || hasNote(what, id);
}
