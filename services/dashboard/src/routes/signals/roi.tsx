import { change, exactChange } from '../../ui/format.ts';
import styles from './roi.module.css';

/** A return, in the colour of gains or of losses. Its two decimals are shown when it is pointed at. */
export function Roi({ percent }: { percent: number }) {
  const sign = percent > 0 ? styles.up : percent < 0 ? styles.down : '';
  return (
    <span className={`${styles.figure} ${sign}`} title={exactChange(percent)}>
      {change(percent)}
    </span>
  );
}
