import type { BacktestResult } from '@sigcast/client';
import { count, share } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Roi } from '../signals/roi.tsx';
import { keysOf, typeWords } from '../signals/signal-words.ts';
import { tradeExitWords } from './backtest-words.ts';
import { Profit } from './profit.tsx';

type Props = { readonly result: BacktestResult };

/** Trades by how they ended. */
export function ByExit({ result: { by_exit: exits, trades } }: Props) {
  return (
    <Section title="Results by exit" flush>
      <table className={table.table} aria-label="By exit">
        <thead>
          <tr>
            <th>Exit</th>
            <th className={table.number}>Trades</th>
            <th className={table.number}>Share</th>
          </tr>
        </thead>
        <tbody>
          {keysOf(tradeExitWords).map((exit) => (
            <tr key={exit}>
              <td>{tradeExitWords[exit]}</td>
              <td className={table.number}>{count(exits[exit])}</td>
              <td className={table.number}>{share(Math.round((exits[exit] / trades) * 1_000) / 10)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

const percentiles = {
  p10: '10 % of the trades',
  p25: '25 % of the trades',
  median: 'Half of the trades',
  p75: '75 % of the trades',
  p90: '90 % of the trades',
} as const;

/** The distribution of the results. */
export function Percentiles({ result: { roi } }: Props) {
  return (
    <Section title="Percentiles" flush>
      <table className={table.table} aria-label="Percentiles">
        <thead>
          <tr>
            <th>Share</th>
            <th className={table.number}>Result at most</th>
          </tr>
        </thead>
        <tbody>
          {keysOf(percentiles).map((name) => (
            <tr key={name}>
              <td>{percentiles[name]}</td>
              <td className={table.number}>
                <Roi percent={roi[name]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** For each chosen type, the figures that are shown above for all trades. */
export function ByType({ result: { by_type: types } }: Props) {
  return (
    <Section title="Results by type" flush>
      <div className={table.scroll}>
        <table className={table.table} aria-label="By type">
          <thead>
            <tr>
              <th>Type</th>
              <th className={table.number}>Trades</th>
              <th className={table.number}>Mean result</th>
              <th className={table.number}>Profit</th>
              <th className={`${table.number} ${table.medium}`}>Profitable</th>
            </tr>
          </thead>
          <tbody>
            {keysOf(typeWords).map((type) => {
              const figures = types[type];
              if (figures === undefined) return null;
              const none = figures.trades === 0;
              return (
                <tr key={type}>
                  <td>{typeWords[type]}</td>
                  <td className={table.number}>{count(figures.trades)}</td>
                  <td className={table.number}>{none ? '–' : <Roi percent={figures.avg_roi} />}</td>
                  <td className={table.number}>{none ? '–' : <Profit usd={figures.profit_usd} />}</td>
                  <td className={`${table.number} ${table.medium}`}>
                    {none ? '–' : share(figures.profitable)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
