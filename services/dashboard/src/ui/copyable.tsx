import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import styles from './copyable.module.css';

type Props = {
  text: string;
  /** What is shown in place of the text: one with a secret in it, say. */
  shown?: string;
  label: string;
  /** In a dialog: its button has the focus when the dialog opens. */
  focused?: boolean;
};

/** A text to be copied: a key, a command, a snippet. If the browser refuses the clipboard, it says so. */
export function Copyable({ text, shown = text, label, focused = false }: Props) {
  const { copy, copied, error } = useClipboard({ timeout: 1_500 });
  const failed = error !== null;
  const refusal =
    shown === text
      ? 'Could not copy. Select the text and copy it by hand.'
      : 'Your browser did not allow copying.';
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
          data-autofocus={focused || undefined}
        >
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <div role="status" className={failed ? styles.failed : styles.heard}>
        {failed ? refusal : copied && 'Copied'}
      </div>
    </div>
  );
}

/** A text to be copied, with its label above. */
export function LabelledCopyable(props: Props) {
  return (
    <div>
      <span className={styles.label}>{props.label}</span>
      <Copyable {...props} />
    </div>
  );
}
