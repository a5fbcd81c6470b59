import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import styles from './copyable.module.css';

/** A text that is copied as another one than is shown: with a secret in it, say. */
export function CopyableAs({ shown, copied: text, label }: { shown: string; copied: string; label: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 1_500 });
  const failed = error !== null;
  return (
    <div className={styles.box}>
      <pre className={styles.text}>
        <code>{shown}</code>
      </pre>
      <Tooltip label={copied ? 'Copied' : 'Copy'}>
        <ActionIcon
          className={styles.button}
          variant="default"
          color={copied ? 'green' : 'gray'}
          onClick={() => copy(text)}
          aria-label={`Copy ${label.toLowerCase()}`}
        >
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <div role="status" className={failed ? styles.failed : styles.heard}>
        {failed ? 'Your browser did not allow copying.' : copied && 'Copied'}
      </div>
    </div>
  );
}
