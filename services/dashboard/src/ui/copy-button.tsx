import { Button } from '@mantine/core';
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
