import type { OperatorSystem } from '@sigcast/contracts';
import type { ReactNode } from 'react';
import { useSystem } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { count, decimal } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { OperatorFrame } from './operator-frame.tsx';
import { queueWord } from './queue-words.ts';
import { Scanner } from './scanner-sections.tsx';

/** The services stop counting here, so this number means at least so many. */
const most = { signals: 10_000, deliveries: 20_000 };

/** Whether each service answers, and how much work waits in it. */
export function SystemPage() {
  const system = useSystem();
  return (
    <OperatorFrame
      title="System"
      description="Services that the gateway can reach, and work that waits. Updated every 15 s."
    >
      <Loaded query={system} lines={10}>
        {({ checks, signals, deliveries, scanner }) => (
          <>
            <Section title="Services and stores" description="As seen by the gateway that answered.">
              <Facts facts={Object.entries(checks).map(([name, state]) => [name, checkTag(name, state)])} />
            </Section>
            <Section title="Outbox" description="Signals whose events have not reached the broker.">
              {signals === null ? <Silent service="signals" /> : <Outbox outbox={signals.outbox} />}
            </Section>
            <Section
              title="Queues"
              description="Messages that wait for a consumer, and parked messages that could not be handled."
              flush
            >
              {signals === null ? <Silent service="signals" /> : <Queues queues={signals.queues} />}
            </Section>
            <Section
              title="Deliveries"
              description="Deliveries of all webhooks. A delivery is overdue when it is due and no worker has started it."
            >
              {deliveries === null ? <Silent service="webhooks" /> : <Deliveries deliveries={deliveries} />}
            </Section>
            {scanner === undefined ? (
              <Section title="Scanner">
                <Empty title="None">This gateway has no scanner’s address: SCANNER_URL is not set.</Empty>
              </Section>
            ) : scanner === null ? (
              <Section title="Scanner">
                <Silent service="scanner" />
              </Section>
            ) : (
              <Scanner scanner={scanner} />
            )}
          </>
        )}
      </Loaded>
    </OperatorFrame>
  );
}

function checkTag(name: string, state: 'ok' | 'failing'): ReactNode {
  return (
    <Tag key={name} tone={state === 'ok' ? 'good' : 'bad'}>
      {state === 'ok' ? 'Answers' : 'Does not answer'}
    </Tag>
  );
}

function Silent({ service }: { service: string }) {
  return <Empty title="Unknown">The {service} service does not answer.</Empty>;
}

type Signals = NonNullable<OperatorSystem['signals']>;

function Outbox({ outbox: { signals, oldest_age_s: age } }: { outbox: Signals['outbox'] }) {
  return (
    <Facts
      facts={[
        ['Waiting signals', atMost(signals, most.signals)],
        ['Oldest live event', seconds(age.live)],
        ['Oldest event of an import', seconds(age.bulk)],
      ]}
    />
  );
}

function Queues({ queues }: { queues: Signals['queues'] }) {
  return (
    <Table
      label="Queues"
      rows={queues}
      keyOf={({ name }) => name}
      columns={[
        { head: 'Queue', wraps: true, cell: ({ name }) => <span className={table.event}>{name}</span> },
        { head: 'State', cell: queueTag },
        {
          head: 'Messages',
          number: true,
          cell: ({ messages }) => (messages === null ? 'Unknown' : count(messages)),
        },
      ]}
    />
  );
}

function queueTag(queue: Signals['queues'][number]): ReactNode {
  const { word, tone } = queueWord(queue);
  return <Tag tone={tone}>{word}</Tag>;
}

function Deliveries(props: { deliveries: NonNullable<OperatorSystem['deliveries']> }) {
  const { pending, oldest_untaken_s: untaken } = props.deliveries;
  return (
    <Facts
      facts={[
        ['Pending', atMost(pending, most.deliveries)],
        ['Oldest overdue', seconds(untaken === 0 ? undefined : untaken)],
      ]}
    />
  );
}

function atMost(number: number, most: number): string {
  return number >= most ? `${count(number)} or more` : count(number);
}

function seconds(age: number | undefined): string {
  return age === undefined ? 'None' : `${decimal(Math.round(age * 10) / 10)} s`;
}
