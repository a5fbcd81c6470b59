/** A saved list of signals: the query of its address, from its `?` on. */
export type View = { readonly name: string; readonly search: string };

const keyOf = (account: string) => `sigcast-views-${account}`;

/** The views that an account has saved in this browser, the oldest first. */
export function readViews(account: string): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(account)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

/** Keeps these views of an account in this browser, in place of those before. */
export function writeViews(account: string, views: readonly View[]): void {
  localStorage.setItem(keyOf(account), JSON.stringify(views));
}

function isView(value: unknown): value is View {
  const { name, search } = (value ?? {}) as Partial<Record<keyof View, unknown>>;
  return typeof name === 'string' && typeof search === 'string';
}
