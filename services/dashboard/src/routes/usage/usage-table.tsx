import { Anchor } from '@mantine/core';
import { Figure } from '../../ui/figure.tsx';
import { Table } from '../../ui/table.tsx';
import styles from './usage.module.css';
import type { UsagePoint } from './usage-points.ts';

/** The chart's figures of the days or hours with requests, newest first. A day leads to its hours. */
export function UsageTable(props: {
  points: readonly UsagePoint[];
  hourly: boolean;
  onDay: (date: string) => void;
}) {
  const { points, hourly, onDay } = props;
  return (
    <Table
      label="Requests"
      rows={points.toReversed()}
      keyOf={({ at }) => at}
      inset
      className={styles.table}
      columns={[
        { head: hourly ? 'Hour' : 'Day', cell: (point) => <Hours point={point} onDay={onDay} /> },
        { head: 'Requests', number: true, cell: ({ requests }) => <Figure of={requests} /> },
        { head: 'Answered', number: true, medium: true, cell: ({ answered }) => <Figure of={answered} /> },
        { head: 'Client errors', number: true, cell: ({ clientErrors }) => <Figure of={clientErrors} /> },
        { head: 'Server errors', number: true, cell: ({ serverErrors }) => <Figure of={serverErrors} /> },
        { head: 'Over the limit', number: true, cell: ({ refused }) => <Figure of={refused} /> },
      ]}
    />
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
