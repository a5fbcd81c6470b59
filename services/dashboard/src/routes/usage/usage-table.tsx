import { Anchor } from '@mantine/core';
import { count } from '../../ui/format.ts';
import table from '../../ui/table.module.css';
import styles from './usage.module.css';
import type { UsagePoint } from './usage-points.ts';

/** The chart's figures, newest first. A day leads to its hours. */
export function UsageTable(props: {
  points: readonly UsagePoint[];
  hourly: boolean;
  onDay: (date: string) => void;
}) {
  const { points, hourly, onDay } = props;
  return (
    <div className={`${table.scroll} ${styles.table}`}>
      <table className={`${table.table} ${table.inset}`} aria-label="Requests">
        <thead>
          <tr>
            <th>{hourly ? 'Hour' : 'Day'}</th>
            <th className={table.number}>Requests</th>
            <th className={table.number}>Answered</th>
            <th className={table.number}>Client errors</th>
            <th className={table.number}>Server errors</th>
            <th className={table.number}>Over the limit</th>
          </tr>
        </thead>
        <tbody>
          {[...points].reverse().map((at) => (
            <tr key={at.at}>
              <td>
                <Hours point={at} onDay={onDay} />
              </td>
              <td className={table.number}>{count(at.requests)}</td>
              <td className={table.number}>{count(at.answered)}</td>
              <td className={table.number}>{count(at.clientErrors)}</td>
              <td className={table.number}>{count(at.serverErrors)}</td>
              <td className={table.number}>{count(at.refused)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Hours({ point: { at, date }, onDay }: { point: UsagePoint; onDay: (date: string) => void }) {
  if (date === undefined) return at;
  return (
    <Anchor component="button" size="sm" title="Show hours" onClick={() => onDay(date)}>
      {at}
    </Anchor>
  );
}
