import type { SignalListItem } from '@sigcast/contracts';
import { IconStarFilled } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Empty } from '../../ui/empty.tsx';
import { change, count, usd } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { statusWords, typeWords } from './signal-words.ts';
import styles from './signals.module.css';

/** A page of signals, each a way to its details. */
export function SignalTable(props: {
  signals: readonly SignalListItem[];
  narrowed: boolean;
  pathOf: (id: string) => string;
}) {
  if (props.signals.length === 0) {
    return props.narrowed ? (
      <Empty title="No signals match">Choose other types or statuses, or clear them.</Empty>
    ) : (
      <Empty title="No signals yet">The first one appears here by itself.</Empty>
    );
  }
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Signals">
        <thead>
          <tr>
            <th>Token</th>
            <th className={table.medium}>Type</th>
            <th>Status</th>
            <th className={table.number}>ROI</th>
            <th className={`${table.number} ${table.medium}`}>Highest ROI</th>
            <th className={`${table.number} ${table.medium}`}>Market cap</th>
            <th className={`${table.number} ${table.medium}`}>Liquidity</th>
            <th className={`${table.number} ${table.medium}`}>Holders</th>
            <th className={`${table.number} ${table.medium}`}>Made</th>
          </tr>
        </thead>
        <tbody>
          {props.signals.map((signal) => (
            <SignalRow key={signal.id} signal={signal} path={props.pathOf(signal.id)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SignalRow({ signal, path }: { signal: SignalListItem; path: string }) {
  const { token, metrics, performance } = signal;
  const status = statusWords[performance.status];
  return (
    <tr className={table.opens}>
      <td>
        <Link href={path} className={styles.token ?? ''}>
          <span className={styles.symbol}>
            {token.symbol}
            {signal.is_premium && (
              <IconStarFilled size={12} className={styles.premium ?? ''} aria-label="Premium" />
            )}
          </span>
          <span className={styles.name}>{token.name}</span>
          <span className={styles.type}>{typeWords[signal.type]}</span>
        </Link>
      </td>
      <td className={table.medium}>{typeWords[signal.type]}</td>
      <td>
        <Tag tone={status.tone}>{status.word}</Tag>
      </td>
      <td className={table.number}>
        <Roi percent={performance.roi} />
      </td>
      <td className={`${table.number} ${table.medium}`}>
        <Roi percent={performance.ath_roi} />
      </td>
      <td className={`${table.number} ${table.medium}`}>{usd(metrics.mcap_current)}</td>
      <td className={`${table.number} ${table.medium}`}>{usd(metrics.liquidity)}</td>
      <td className={`${table.number} ${table.medium}`}>{count(metrics.holders)}</td>
      <td className={`${table.number} ${table.medium}`}>
        <Instant at={signal.created_at} />
      </td>
    </tr>
  );
}

/** A return, green or red by its sign. */
export function Roi({ percent }: { percent: number }) {
  const sign = percent > 0 ? styles.up : percent < 0 ? styles.down : undefined;
  return <span className={sign}>{change(percent)}</span>;
}
