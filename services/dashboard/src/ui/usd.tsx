import { exactUsd, usd, usdParts } from './format.ts';
import styles from './usd.module.css';

/**
 * US dollars in short; to the cent when they are pointed at. `aligned`: with one decimal and a place for the unit, so that the
 * decimals of a column are below each other.
 */
export function Usd({ amount, aligned = false }: { amount: number; aligned?: boolean }) {
  const [figure, unit] = usdParts(amount);
  return (
    <span title={exactUsd(amount)}>
      {aligned ? (
        <>
          {figure}
          <span className={styles.unit}>{unit || '\u2007'}</span>
        </>
      ) : (
        usd(amount)
      )}
    </span>
  );
}
