import { useState } from 'react';
import { change, exactChange } from '../../ui/format.ts';
import styles from './roi.module.css';

/** Percent: a thousand times the entry. Figures of a market beyond it are more often wrong than right. */
const mostPlausible = 99_900;

/**
 * A return, in the colour of gains or of losses, or of peaks. Its two decimals are shown when it is pointed at. The tint of a
 * changed figure fades, and an implausible figure is marked.
 */
export function Roi({ percent, isPeak = false }: { percent: number; isPeak?: boolean }) {
  // As it is shown: what is +0.0% is neither.
  const tenths = Math.round(percent * 10);
  const sign = tenths > 0 ? styles.up : tenths < 0 ? styles.down : '';
  const [first] = useState(percent);
  const doubt = percent > mostPlausible ? ': implausible, the market’s figures may be wrong' : '';
  return (
    <span
      key={percent}
      className={`${styles.figure} ${isPeak && tenths > 0 ? styles.peak : sign} ${percent === first ? '' : styles.changed}`}
      title={exactChange(percent) + doubt}
    >
      {change(percent)}
      {doubt && ' ?'}
    </span>
  );
}
