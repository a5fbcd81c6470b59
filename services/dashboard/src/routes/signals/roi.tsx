import { change, exactChange } from '../../ui/format.ts';
import styles from './roi.module.css';

/** A return, in the colour of gains or of losses, or of peaks. Its two decimals are shown when it is pointed at. */
export function Roi({ percent, isPeak = false }: { percent: number; isPeak?: boolean }) {
  const sign = percent > 0 ? styles.up : percent < 0 ? styles.down : '';
  return (
    <span className={`${styles.figure} ${isPeak ? styles.peak : sign}`} title={exactChange(percent)}>
      {change(percent)}
    </span>
  );
}
