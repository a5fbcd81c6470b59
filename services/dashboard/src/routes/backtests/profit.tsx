import { profit } from '../../ui/format.ts';
import roi from '../signals/roi.module.css';

/** A profit or a loss in US dollars, green or red by its sign. */
export function Profit({ usd }: { usd: number }) {
  return <span className={usd > 0 ? roi.up : usd < 0 ? roi.down : undefined}>{profit(usd)}</span>;
}
