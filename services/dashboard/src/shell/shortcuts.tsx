import { Modal } from '@mantine/core';
import styles from './commands.module.css';

const shortcuts = [
  ['Search everything', 'Ctrl K or ⌘K'],
  ['Search on this page', '/'],
  ['Next and previous signal of the list', 'j k'],
  ['Open it', 'Enter'],
  ['Move in search results', '↑ ↓'],
  ['Open a result', 'Enter'],
  ['Close', 'Esc'],
  ['Show shortcuts', '?'],
] as const;

/** What can be done with single keys. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      {shortcuts.map(([does, keys]) => (
        <div key={does} className={styles.shortcut}>
          {does}
          <kbd className={styles.keys}>{keys}</kbd>
        </div>
      ))}
    </Modal>
  );
}
