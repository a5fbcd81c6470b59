import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import styles from './copyable.module.css';

type Props = { text: string; label: string };

/** A text to be copied as it is: a key, a command, a snippet. */
export function Copyable({ text, label }: Props) {
  return (
    <div className={styles.box}>
      <pre className={styles.text}>
        <code>{text}</code>
      </pre>
      <CopyButton value={text} timeout={1_500}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon
              className={styles.button}
              variant="default"
              color={copied ? 'green' : 'gray'}
              onClick={copy}
              aria-label={copied ? 'Copied' : `Copy ${label.toLowerCase()}`}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}

/** The same, with its label above. */
export function LabelledCopyable(props: Props) {
  return (
    <div>
      <span className={styles.label}>{props.label}</span>
      <Copyable {...props} />
    </div>
  );
}
