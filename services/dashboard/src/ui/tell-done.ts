import { notifications } from '@mantine/notifications';

/** Shows a notification that something was done. */
export function tellDone(message: string): void {
  notifications.show({ color: 'green', message });
}
