import { useKeys } from './use-keys.ts';

/** Lists that j and k go through. The list of signals and their pages have keys of their own. */
export const listsWithKeys = /^\/(events|requests|webhooks|backtests)/;

/** Moves the focus along the links of the page's rows, by j and k; Enter opens the row then. */
export function useRowKeys(): void {
  const move = (by: 1 | -1) => {
    if (!listsWithKeys.test(location.pathname)) return;
    const rows = [...document.querySelectorAll('main tbody tr')].filter((row) => row.querySelector('a'));
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    rows[Math.max(0, at + by)]?.querySelector('a')?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}
