import { notifications } from '@mantine/notifications';

/** Says in a message at the edge of the page that something was done. */
export function tellDone(message: string): void {
  notifications.show({ color: 'green', message });
}
