import { exactUsd, usdParts } from './format.ts';
import styles from './usd.module.css';

/** US dollars in three digits; to the cent when they are pointed at. `aligned`: with a place for the unit, in a column. */
export function Usd({ amount, aligned = false }: { amount: number; aligned?: boolean }) {
  const [figure, unit] = usdParts(amount);
  return (
    <span title={exactUsd(amount)}>
      {figure}
      {aligned ? <span className={styles.unit}>{unit || '\u2007'}</span> : unit}
    </span>
  );
}
