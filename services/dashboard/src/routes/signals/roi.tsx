import { change } from '../../ui/format.ts';
import styles from './roi.module.css';

/** A return, green or red by its sign. */
export function Roi({ percent }: { percent: number }) {
  const sign = percent > 0 ? styles.up : percent < 0 ? styles.down : undefined;
  return <span className={sign}>{change(percent)}</span>;
}
