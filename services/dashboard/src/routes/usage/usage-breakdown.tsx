import { SegmentedControl } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useKeys, useUsageBy } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Figure } from '../../ui/figure.tsx';
import { milliseconds, shortDate } from '../../ui/format.ts';
import { Loaded, Loading } from '../../ui/loaded.tsx';
import { Name } from '../../ui/name.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { keyName } from '../requests/request-words.ts';
import styles from './usage.module.css';
import { usageParts } from './usage-parts.ts';

const ways = [
  { value: 'key', label: 'By key' },
  { value: 'route', label: 'By path' },
] as const;

/** What each key or each path used, in the time that the page shows. */
export function UsageBreakdown({ days, day }: { days: number; day: string | undefined }) {
  const [params, setParams] = useSearchParams();
  const by = ways.find(({ value }) => value === params.get('by'))?.value ?? 'key';
  const usage = useUsageBy(days, by);
  const { data: keys = [], isPending: isNaming } = useKeys();
  const change = (to: string) =>
    setParams((before) => {
      before.set('by', to);
      return before;
    });
  return (
    <Section
      title={by === 'key' ? 'Requests by key' : 'Requests by path'}
      description={`${day === undefined ? 'All days shown above' : shortDate(day)}. Half of the requests took up to p50, 95% up to p95 (estimated).`}
      actions={
        <SegmentedControl size="xs" aria-label="Break down" data={[...ways]} value={by} onChange={change} />
      }
    >
      <div className={styles.breakdown}>
        <Loaded query={usage} lines={2}>
          {(data) => {
            // An id is longer than a name: a row would change its height.
            if (by === 'key' && isNaming) return <Loading lines={2} />;
            const parts = usageParts(data, day);
            if (parts.length === 0) return <Empty title="No requests in this time range" />;
            return (
              <Outdated busy={usage.isPlaceholderData}>
                <Table
                  label={by === 'key' ? 'Usage by key' : 'Usage by path'}
                  rows={parts}
                  keyOf={({ at }) => at}
                  inset
                  columns={[
                    {
                      head: by === 'key' ? 'Key' : 'Path',
                      wraps: true,
                      cell: ({ at }) => (
                        <Part by={by} name={at} shown={by === 'key' ? keyName(at, keys) : at} />
                      ),
                    },
                    { head: 'Requests', number: true, cell: ({ requests }) => <Figure of={requests} /> },
                    {
                      head: 'Client errors',
                      number: true,
                      medium: true,
                      cell: ({ clientErrors }) => <Figure of={clientErrors} />,
                    },
                    {
                      head: 'Server errors',
                      number: true,
                      medium: true,
                      cell: ({ serverErrors }) => <Figure of={serverErrors} />,
                    },
                    { head: 'p50', number: true, wide: 'p50:', cell: ({ p50 }) => time(p50) },
                    { head: 'p95', number: true, wide: 'p95:', cell: ({ p95 }) => time(p95) },
                    { head: 'Over the limit', number: true, cell: ({ refused }) => <Figure of={refused} /> },
                  ]}
                />
              </Outdated>
            );
          }}
        </Loaded>
      </div>
    </Section>
  );
}

/** A latency, if any is known. */
function time(ms: number | undefined): string {
  return ms === undefined ? '–' : milliseconds(ms);
}

/** A key or path, which leads to its requests. */
function Part({ by, name, shown }: { by: 'key' | 'route'; name: string; shown: string }) {
  if (name === 'other') return by === 'key' ? 'Other keys' : 'Unknown paths';
  return (
    <Link href={`/requests?${new URLSearchParams({ [by]: name })}`}>
      <Name>{shown}</Name>
    </Link>
  );
}
