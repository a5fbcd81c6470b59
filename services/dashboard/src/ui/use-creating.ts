import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';

/** What a link says that leads to a page with its form for a new thing opened. */
export const creating = { creating: true };

/** Whether the page's form for a new thing is opened, by its button or by such a link. */
export function useCreating(): [boolean, (to: boolean) => void] {
  const state = useHistoryState<Partial<typeof creating> | null>();
  const [, navigate] = useLocation();
  const set = (to: boolean) =>
    navigate(location.pathname + location.search, { replace: true, state: to ? creating : null });
  return [state?.creating === true, set];
}
