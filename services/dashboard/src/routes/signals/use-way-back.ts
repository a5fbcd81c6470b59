import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { useKeys } from '../../ui/use-keys.ts';

/** What a link from a list tells the page of a signal: the query of the list, and the signals that it showed, in order. */
export type FromList = { readonly list: string; readonly ids: readonly string[] };

/**
 * Where the page of a signal leads: back to the list (Escape), and to the next and the previous signal of it (j and k), where it
 * was opened from one.
 */
export function useWayBack(id: string) {
  const from = useHistoryState<FromList | null>();
  const [, navigate] = useLocation();
  const ids = from?.ids ?? [];
  const at = ids.indexOf(id);
  const show = (next: string | undefined) => {
    // Each takes the place of the one before, so that the way back stays short.
    if (next !== undefined) navigate(`/signals/${next}`, { replace: true, state: from });
  };
  const [previous, next] = at < 0 ? [] : [ids[at - 1], ids[at + 1]];
  const ways = { j: () => show(next), k: () => show(previous) };
  useKeys(ways);
  // The browser knows where the list was scrolled to.
  const back = () => (from === null ? navigate('/signals') : history.back());
  return { back, list: from?.list ?? '', place: at + 1, of: ids.length, previous, next, ...ways };
}
