import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { loadFile } from '../load-file.ts';
import { useKeys } from '../ui/use-keys.ts';
import { useRowKeys } from '../ui/use-row-keys.ts';
import styles from './commands.module.css';
import { lettered } from './places.ts';

const Palette = lazy(() => loadFile(() => import('./palette.tsx')));
const Shortcuts = lazy(() => loadFile(() => import('./shortcuts.tsx')));

/** How long after a g a letter still leads to a page. */
const letterMs = 1500;

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The search over everything (Ctrl-K), and the list of shortcuts (?). Their files are loaded when they are opened first. */
export function Commands() {
  const [opened, setOpened] = useState<'palette' | 'shortcuts'>();
  const [query, setQuery] = useState('');
  const [isReady, setReady] = useState(false);
  const before = useRef<Element>(null);
  const [, navigate] = useLocation();
  const goesSinceMs = useRef(0);
  const go = (to: string) => () => {
    if (Date.now() - goesSinceMs.current < letterMs) navigate(to);
    goesSinceMs.current = 0;
  };
  const search = () => {
    if (opened === 'palette') return;
    before.current = document.activeElement;
    setQuery('');
    setReady(false);
    setOpened('palette');
  };
  const close = () => {
    setOpened(undefined);
    // Unless a result has led to another page.
    if (document.activeElement?.closest('main') == null) focus(before.current);
  };
  // Ctrl-K works while somebody types; letters alone do not.
  useHotkeys([['mod+K', search]], []);
  useRowKeys();
  useKeys({
    '/': () => focusFilter() || search(),
    '?': () => setOpened('shortcuts'),
    g: () => {
      goesSinceMs.current = Date.now();
    },
    ...Object.fromEntries(lettered.map(({ letter, to }) => [letter, go(to)])),
  });
  return (
    <>
      <button type="button" className={styles.search} onClick={search}>
        <IconSearch size={14} aria-hidden />
        <span className={styles.words}>Search</span>
        <kbd className={styles.keys}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {opened === 'palette' && !isReady && (
        // From the first key on, until the search has taken over what was typed.
        <input
          ref={focus}
          className={styles.early}
          aria-label="Search"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && close()}
        />
      )}
      <Suspense>
        {opened === 'palette' && (
          <Palette query={query} onQueryChange={setQuery} onReady={() => setReady(true)} onClose={close} />
        )}
        {opened === 'shortcuts' && <Shortcuts onClose={() => setOpened(undefined)} />}
      </Suspense>
    </>
  );
}

function focus(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/** Goes to the search field of the page, or to its first filter. @returns whether it has one. */
function focusFilter(): boolean {
  const filters = document.querySelector('main search');
  const field =
    filters?.querySelector<HTMLElement>('[type="search"]') ??
    filters?.querySelector<HTMLElement>('input:not([type="hidden"]), select, button');
  field?.focus();
  return field != null;
}
