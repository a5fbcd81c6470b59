import { IconCloudOff } from '@tabler/icons-react';
import { useAway } from '../api/connection.ts';
import styles from './notice.module.css';

/** Says, once for the whole page, that the service does not answer. */
export function Away() {
  if (!useAway()) return null;
  return (
    <div className={styles.notice} role="alert">
      <IconCloudOff size={20} aria-hidden />
      <span>Sigcast cannot be reached. This page reconnects automatically.</span>
    </div>
  );
}
