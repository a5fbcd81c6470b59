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
  const [, navigate] = useLocation();
  const goesSinceMs = useRef(0);
  const go = (to: string) => () => {
    if (Date.now() - goesSinceMs.current < letterMs) navigate(to);
    goesSinceMs.current = 0;
  };
  const close = () => setOpened(undefined);
  // Ctrl-K works while somebody types; letters alone do not.
  useHotkeys([['mod+K', () => setOpened('palette')]], []);
  useRowKeys();
  useKeys({
    '/': () => focusFilter() || setOpened('palette'),
    '?': () => setOpened('shortcuts'),
    g: () => {
      goesSinceMs.current = Date.now();
    },
    ...Object.fromEntries(lettered.map(({ letter, to }) => [letter, go(to)])),
  });
  return (
    <>
      <button type="button" className={styles.search} onClick={() => setOpened('palette')}>
        <IconSearch size={14} aria-hidden />
        <span className={styles.words}>Search</span>
        <kbd className={styles.keys}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} />}
        {opened === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </>
  );
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
