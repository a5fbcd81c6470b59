import { motifOf } from '@sigcast/look';
import styles from './motif.module.css';

const size = { width: 640, height: 180 };

/** The shape of a signal's trace as decoration. It shows no data. */
export function Motif() {
  const trace = motifOf('winner', size, 16);
  return (
    <svg className={styles.motif} viewBox={`0 0 ${size.width} ${size.height}`} role="presentation">
      {trace.levels.map(({ multiple, y }) => (
        <path key={multiple} className={styles.level} d={`M0 ${y}H${size.width}`} />
      ))}
      {trace.band && <rect className={styles.band} {...trace.band} y={0} height={size.height} />}
      <path className={styles.area} d={trace.area} />
      <path className={styles.line} d={trace.line} />
      <path className={styles.peak} d={`M${trace.peak.x} ${trace.peak.y - 14}v10`} />
    </svg>
  );
}
