import { Stack } from '@mantine/core';
import type { OperatorSystem } from '@sigcast/contracts';
import { Facts } from '../../ui/facts.tsx';
import { count, plural } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Pair, Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { typeWords } from '../signals/signal-words.ts';

type State = NonNullable<OperatorSystem['scanner']>;

/** What the scanner asks, refuses and makes. */
export function Scanner({ scanner: { rule, sources, hours, refusals } }: { scanner: State }) {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const made = hours.flatMap(({ signals }) => Object.values(signals));
  return (
    <Pair>
      <Stack gap="md">
        <Section
          title="Scanner"
          description="The last 24 hours of all scanners. The sources are those of the scanner that answered."
        >
          <Facts
            facts={[
              ['Rules', rule],
              ['Tokens judged', count(sum(hours.map(({ judged }) => judged)))],
              ['Signals made', count(sum(made))],
            ]}
          />
        </Section>
        <Section title="Sources" flush>
          <Table
            label="Sources"
            rows={sources}
            keyOf={({ name }) => name}
            columns={[
              {
                head: 'Source',
                wraps: true,
                cell: ({ name }) => <span className={table.event}>{name}</span>,
              },
              { head: 'State', cell: sourceTag },
              {
                head: 'Last answer',
                cell: ({ answered_at: at }) => (at === null ? 'None' : <Instant at={at} />),
              },
              { head: 'Problem', wraps: true, medium: '', cell: ({ problem }) => problem },
            ]}
          />
        </Section>
        <Section title="Signals by hour" description="Hours without a judged token are left out." flush>
          <Table
            label="Signals by hour"
            rows={hours.toReversed()}
            keyOf={({ hour }) => hour}
            columns={[
              { head: 'Hour', cell: ({ hour }) => <Instant at={hour} /> },
              {
                head: 'Signals',
                wraps: true,
                cell: ({ signals }) =>
                  Object.entries(signals)
                    .map(([type, made]) => `${typeWords[type as keyof typeof typeWords]}: ${count(made)}`)
                    .join(', ') || 'None',
              },
              { head: 'Judged', number: true, cell: ({ judged }) => count(judged) },
            ]}
          />
        </Section>
      </Stack>
      <Section
        title="Refusals"
        description="Why tokens did not become signals, by the first rule that refused them."
        flush
      >
        <Table
          label="Refusals"
          rows={refusals}
          keyOf={({ type, reason }) => `${type} ${reason}`}
          columns={[
            {
              head: 'Reason',
              wraps: true,
              cell: ({ reason }) => <span className={table.event}>{reason}</span>,
            },
            {
              head: 'Type',
              cell: ({ type }) => (type === 'all' ? 'All types' : typeWords[type]),
            },
            { head: 'Tokens', number: true, cell: ({ count: tokens }) => count(tokens) },
          ]}
        />
      </Section>
    </Pair>
  );
}

function sourceTag({ failures }: State['sources'][number]) {
  return failures === 0 ? (
    <Tag tone="good">Answers</Tag>
  ) : (
    <Tag tone="bad">{plural(failures, 'failure')} in a row</Tag>
  );
}
