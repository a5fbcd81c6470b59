import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';

/** Copies a text that is too long to be shown, and says whether that worked: browsers may refuse the clipboard. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 1_500 });
  useEffect(() => {
    if (error !== null) notifications.show({ color: 'red', message: 'Your browser did not allow copying.' });
  }, [error]);
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
