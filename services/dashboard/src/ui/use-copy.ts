import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/** Copies a text, and says so if the browser refuses the clipboard. `copied`: for a moment after a copy. */
export function useCopy() {
  const { copy, copied, error } = useClipboard({ timeout: 1_500 });
  useEffect(() => {
    if (error !== null) notifications.show({ color: 'red', message: 'Your browser did not allow copying.' });
  }, [error]);
  return { copy, copied };
}
