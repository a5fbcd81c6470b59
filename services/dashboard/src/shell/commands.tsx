import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { loadFile } from '../load-file.ts';
import { useKeys } from '../ui/use-keys.ts';
import styles from './commands.module.css';

const Palette = lazy(() => loadFile(() => import('./palette.tsx')));
const Shortcuts = lazy(() => loadFile(() => import('./shortcuts.tsx')));

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The search over everything (Ctrl-K), and the list of shortcuts (?). Their files are loaded when they are opened first. */
export function Commands() {
  const [opened, setOpened] = useState<'palette' | 'shortcuts'>();
  const close = () => setOpened(undefined);
  // Ctrl-K works while somebody types; letters alone do not.
  useHotkeys([['mod+K', () => setOpened('palette')]], []);
  useKeys({
    '/': () => focusSearch() || setOpened('palette'),
    '?': () => setOpened('shortcuts'),
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

/** Goes to the search field of the page. @returns whether it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('main [type="search"]');
  field?.focus();
  return field !== null;
}
