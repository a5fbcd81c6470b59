import { ActionIcon, Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from './use-copy.ts';

/** Copies a text that is too long to be shown, and says whether that worked: browsers may refuse the clipboard. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const { copy, copied } = useCopy();
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => copy(text)}
    >
      {copied ? 'Copied' : children}
    </Button>
  );
}

/** The same as an icon, in a row. `name`: what is copied, in words. */
export function CopyIcon({ text, name }: { text: string; name: string }) {
  const { copy, copied } = useCopy();
  const label = copied ? 'Copied' : `Copy ${name}`;
  return (
    <ActionIcon
      size="sm"
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      onClick={() => copy(text)}
    >
      {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
    </ActionIcon>
  );
}
