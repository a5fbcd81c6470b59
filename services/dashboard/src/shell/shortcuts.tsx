import { Modal } from '@mantine/core';
import { useLocation } from 'wouter';
import { listsWithKeys } from '../ui/use-row-keys.ts';
import styles from './commands.module.css';
import { lettered } from './places.ts';

type Shortcuts = readonly (readonly [does: string, keys: string])[];

const everywhere: Shortcuts = [
  ['Search everything', 'Ctrl K or ⌘K'],
  ['Move in search results', '↑ ↓'],
  ['Open a result', 'Enter'],
  ['Close', 'Esc'],
  ['Show shortcuts', '?'],
];

const toPages: Shortcuts = lettered.map(({ label, letter }) => [label, `g ${letter}`]);

const toFilters: Shortcuts = [['Search or filter the list', '/']];

/** What keys do on some pages besides. */
const onPages: readonly { readonly title: string; readonly path: RegExp; readonly shortcuts: Shortcuts }[] = [
  {
    title: 'On the list of signals',
    path: /^\/signals$/,
    shortcuts: [
      ['Next and previous signal', 'j k'],
      ['Open it', 'Enter'],
    ],
  },
  {
    title: 'On this list',
    path: listsWithKeys,
    shortcuts: [
      ['Next and previous row', 'j k'],
      ['Open it', 'Enter'],
    ],
  },
  {
    title: 'On a signal’s page',
    path: /^\/signals\/./,
    shortcuts: [
      ['Next and previous signal of the list it was opened from', 'j k'],
      ['Back to the list', 'Esc'],
    ],
  },
  {
    title: 'On this page',
    path: /^\/(webhooks|backtests)\/(?!new$)./,
    shortcuts: [['Back to the list', 'Esc']],
  },
  {
    title: 'In an opened row',
    path: /^\/(events|requests|webhooks\/.+)$/,
    shortcuts: [
      ['Next and previous row', 'j k'],
      ['Back to the list', 'Esc'],
    ],
  },
];

/** What can be done with single keys, on this page first. */
export default function ShortcutList({ onClose }: { onClose: () => void }) {
  const [here] = useLocation();
  const groups = [
    ...onPages.filter(({ path }) => path.test(here)),
    ...(document.querySelector('main search') ? [{ title: 'In the filters', shortcuts: toFilters }] : []),
    { title: 'On every page', shortcuts: everywhere },
    { title: 'Go to', shortcuts: toPages },
  ];
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      {groups.map(({ title, shortcuts }) => (
        <section key={title} aria-label={title}>
          <h3 className={styles.group}>{title}</h3>
          {shortcuts.map(([does, keys]) => (
            <div key={does} className={styles.shortcut}>
              {does}
              <kbd className={styles.keys}>{keys}</kbd>
            </div>
          ))}
        </section>
      ))}
    </Modal>
  );
}
