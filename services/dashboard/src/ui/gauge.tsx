import styles from './gauge.module.css';

/** The scale, the same in all rows: from a quarter of the entry to 16 times the entry, in octaves. */
const [least, most] = [-2, 4];
const [width, height] = [96, 16];

/** Where a signal stands: a bar from the entry to now, and a tick at the peak, on one scale for all signals of a list. */
export function Gauge({ roi, athRoi }: { roi: number; athRoi: number }) {
  const [entry, now, peak] = [placeOf(0), placeOf(roi), placeOf(athRoi)];
  return (
    <svg className={styles.gauge} role="presentation" width={width} height={height}>
      <path className={styles.scale} d={`M0 8H${width}`} />
      <path className={roi < 0 ? styles.loss : styles.gain} d={`M${entry} 8H${now}`} />
      <path className={styles.entry} d={`M${entry} 4v8`} />
      <path className={styles.peak} d={`M${peak} 2v12`} />
    </svg>
  );
}

/** Pixels from the left for a change since the entry, percent. */
function placeOf(percent: number): number {
  const octaves = Math.log2(Math.max(1e-3, 1 + percent / 100));
  const share = (Math.min(most, Math.max(least, octaves)) - least) / (most - least);
  return Math.round((1 + share * (width - 2)) * 10) / 10;
}
