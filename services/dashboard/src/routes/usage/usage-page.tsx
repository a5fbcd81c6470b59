import { Button, Progress, SegmentedControl, Text } from '@mantine/core';
import type { UsageView } from '@sigcast/contracts';
import { lazy, Suspense } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useUsage } from '../../api/queries.ts';
import { loadFile } from '../../load-file.ts';
import { Empty } from '../../ui/empty.tsx';
import { count, plural, shortDate } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded, Loading } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';
import styles from './usage.module.css';
import { UsageBreakdown } from './usage-breakdown.tsx';
import { byDay, byHour, sentIn } from './usage-points.ts';
import { UsageTable } from './usage-table.tsx';

const UsageChart = lazy(() => loadFile(() => import('./usage-chart.tsx')));

const spans = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];

/** The account's requests compared with what its plan allows. The address has the period or day that is shown. */
export default function UsagePage() {
  const [params, setParams] = useSearchParams();
  const span = spans.find(({ value }) => value === params.get('days'))?.value ?? '7';
  const usage = useUsage(Number(span));
  return (
    <Page
      title="Usage"
      description="Requests with your API keys; the dashboard has its own limits. Days and hours are in UTC."
    >
      <Loaded query={usage}>
        {(data) => {
          const chosen = data.days.find(({ date }) => date === params.get('day'))?.date;
          const day = span === '1' ? data.days.at(-1)?.date : chosen;
          return (
            <>
              <Today usage={data} />
              <Section
                title={day === undefined ? 'Requests by day' : `Requests by hour, ${shortDate(day)}`}
                description={countedWords(data)}
                actions={
                  <>
                    {span !== '1' && chosen !== undefined && (
                      <Button size="xs" variant="default" onClick={() => setParams({ days: span })}>
                        All days
                      </Button>
                    )}
                    <SegmentedControl
                      size="xs"
                      aria-label="Time range"
                      data={spans}
                      value={span}
                      onChange={(days) => setParams({ days })}
                    />
                  </>
                }
              >
                <Outdated busy={usage.isPlaceholderData}>
                  <Course usage={data} day={day} onDay={(date) => setParams({ days: span, day: date })} />
                </Outdated>
              </Section>
              <UsageBreakdown days={Number(span)} day={day} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** How the requests below become what counts against the limit, where that is another number. */
function countedWords({ today, days }: UsageView): string | undefined {
  const made = days.at(-1)?.requests ?? 0;
  // What was just sent is counted at once, and comes to the days within seconds.
  if (made === 0 || made === today.used) return undefined;
  return `Each request once. Today’s ${plural(made, 'request')} counted as ${count(today.used)} against the limit: one that reads much counts as several.`;
}

function Today({ usage: { limits, today } }: { usage: UsageView }) {
  const used = Math.min(100, (today.used / limits.requests_per_day) * 100);
  return (
    <Section title="Today">
      <div className={styles.today}>
        <p>
          <b>{count(today.used)}</b> of {plural(limits.requests_per_day, 'request')}
        </p>
        <p>
          {count(today.remaining)} left, resets <Instant at={today.resets_at} />
        </p>
      </div>
      <Progress value={used} color={used < 90 ? 'lime' : 'red'} size="md" aria-label="Used today" />
      <Text c="dimmed" size="sm" mt="sm">
        Your plan allows {count(limits.requests_per_minute)} a minute.
      </Text>
    </Section>
  );
}

function Course(props: {
  usage: UsageView;
  /** The day whose hours are shown; undefined for all days. */
  day: string | undefined;
  onDay: (date: string) => void;
}) {
  const { usage, day, onDay } = props;
  const hourly = day !== undefined;
  const placeholder = <Loading lines={1} lineHeight={220} />;
  const points = hourly ? byHour(usage, day, new Date()) : byDay(usage);
  if (points.every((at) => sentIn(at) === 0)) {
    return (
      <Empty title="No requests in this time range">
        New requests appear here within seconds. <Link href="/getting-started">Send the first one</Link>
      </Empty>
    );
  }
  return (
    <>
      <WhenSeen className={styles.chart} before={placeholder}>
        <Suspense fallback={placeholder}>
          <UsageChart points={points} {...(!hourly && { limit: usage.limits.requests_per_day })} />
        </Suspense>
      </WhenSeen>
      <UsageTable points={points.filter((at) => sentIn(at) > 0)} hourly={hourly} onDay={onDay} />
    </>
  );
}
