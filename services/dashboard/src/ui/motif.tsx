import { traceOf } from '@sigcast/look';
import styles from './motif.module.css';

/** The course of no particular token: rises, falls, and ends above where it began. */
const course = [1, 1.1, 0.9, 1.3, 1.2, 1.9, 1.6, 3.2, 2.6, 3.9, 2.2, 2.5, 1.7, 1.9];
const size = { width: 640, height: 180 };

/** The shape of a signal's trace as decoration. It shows no data. */
export function Motif() {
  const points = course.map((value, at) => ({ at, value }));
  const trace = traceOf(
    { entry: { at: 0, value: 1 }, peak: { at: 9, value: 3.9 }, points, held: { from: 2, until: 8 } },
    size,
    16,
  );
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
