import { useLocation } from 'wouter';
import { useKeys } from './use-keys.ts';

/** Lists that j and k go through. The list of signals and their pages have keys of their own. */
export const listsWithKeys = /^\/(events|requests|webhooks|backtests)/;

/** Moves the focus along the links of the page's rows, by j and k; Enter opens the row then. */
export function useRowKeys(): void {
  const move = (by: 1 | -1) => {
    if (!listsWithKeys.test(location.pathname)) return;
    const links = rowLinks();
    const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
    links[Math.max(0, at + by)]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}

/** Moves on to what the next and the previous row lead to, by j and k in the panel that is beside the rows. */
export function usePanelKeys(): void {
  const [, navigate] = useLocation();
  const move = (by: 1 | -1) => {
    const links = rowLinks();
    const at = links.findIndex(({ href }) => href === location.href);
    const next = at < 0 ? undefined : links[at + by];
    // Each takes the place of the one before, so that the way back stays short.
    if (next !== undefined) navigate(next.pathname + next.search, { replace: true });
  };
  useKeys({ j: () => move(1), k: () => move(-1) }, { ofDialog: true });
}

/** The links of the page's rows, of which each leads to what the row is about. */
function rowLinks(): HTMLAnchorElement[] {
  return [...document.querySelectorAll('main tbody tr')].flatMap((row) => row.querySelector('a') ?? []);
}
