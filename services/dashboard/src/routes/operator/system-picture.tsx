import type { OperatorSystem } from '@sigcast/contracts';
import { count, decimal } from '../../ui/format.ts';
import { Tag } from '../../ui/tag.tsx';
import styles from './system-picture.module.css';

/** The services stop counting here, so this number means at least so many. */
const most = { signals: 10_000, deliveries: 20_000 };

type Queue = NonNullable<OperatorSystem['signals']>['queues'][number];
type Part = {
  readonly name: string;
  /** Whether it answers; absent for a queue, and for what this gateway does not know. */
  readonly state?: 'ok' | 'failing' | undefined;
  readonly figures: readonly (readonly [string, string])[];
  /** What somebody has to look at. */
  readonly problem?: string | undefined;
};

/** The system as events pass through it, from the left to the right: a box for each process and queue, with what waits in it. */
export function SystemPicture({ system }: { system: OperatorSystem }) {
  const { checks, signals, deliveries, scanner } = system;
  const service = (name: string, figures: Part['figures'] = []) => (
    <Box name={name} state={checks[name]} figures={figures} />
  );
  const queuesOf = (consumer: string) =>
    signals?.queues.filter(({ name, kind }) => kind === 'waiting' && name.includes(`${consumer}.`)) ?? [];
  const deliveryLines = deliveries ? deliveryFigures(deliveries) : [];
  return (
    <div className={styles.flow}>
      <h3>Stores</h3>
      <h3>Sources</h3>
      <h3>Events</h3>
      <h3>Queues</h3>
      <h3>Consumers</h3>
      <div className={styles.stores}>
        {service('redis')}
        {service('mongodb')}
        {service('broker')}
      </div>
      <div className={styles.leads}>
        {scanner === undefined ? (
          <Box name="scanner" figures={[['SCANNER_URL', 'not set']]} />
        ) : (
          service('scanner', scanner ? [['Tokens that wait', count(scanner.waiting)]] : [])
        )}
      </div>
      <div className={styles.leads}>{service('signals', signals ? outboxFigures(signals.outbox) : [])}</div>
      <div className={styles.rows}>
        {(['stats', 'tracker', 'webhooks'] as const).map((consumer) => (
          <div key={consumer} className={styles.row}>
            <div className={styles.leads}>
              {signals === null && <Box name={`${consumer}.*`} figures={[]} problem="Unknown" />}
              {queuesOf(consumer).map((queue) => (
                <Box key={queue.name} {...queuePart(queue, signals?.queues ?? [])} />
              ))}
            </div>
            {service(consumer, consumer === 'webhooks' ? deliveryLines : [])}
          </div>
        ))}
      </div>
    </div>
  );
}

function Box({ name, state, figures, problem }: Part) {
  return (
    <section className={styles.part} aria-label={name}>
      <span className={styles.name}>
        {name}
        {state !== undefined && (
          <Tag tone={state === 'ok' ? 'good' : 'bad'}>{state === 'ok' ? 'Answers' : 'Does not answer'}</Tag>
        )}
      </span>
      {figures.map(([what, figure]) => (
        <span key={what} className={styles.figure}>
          {what} <b>{figure}</b>
        </span>
      ))}
      {problem !== undefined && (
        <div>
          <Tag tone="bad">{problem}</Tag>
        </div>
      )}
    </section>
  );
}

function outboxFigures({ signals, oldest_age_s: age }: NonNullable<OperatorSystem['signals']>['outbox']) {
  return [
    ['Not yet published', atMost(signals, most.signals)],
    ['Oldest', seconds(age.live)],
    ['Oldest of an import', seconds(age.bulk)],
  ] as const;
}

function deliveryFigures({ pending, oldest_untaken_s: late }: NonNullable<OperatorSystem['deliveries']>) {
  return [
    ['Pending deliveries', atMost(pending, most.deliveries)],
    ['Oldest overdue', seconds(late === 0 ? undefined : late)],
  ] as const;
}

/** A queue, with the messages of its consumer that could not be handled. */
function queuePart({ name, messages }: Queue, queues: readonly Queue[]): Part {
  const parked = queues.find((queue) => queue.name === `${name}.parked`)?.messages ?? 0;
  return {
    name,
    figures: [['Waiting', messages === null ? 'Unknown' : count(messages)]],
    problem: parked > 0 ? `${count(parked)} parked` : undefined,
  };
}

function atMost(number: number, most: number): string {
  return number >= most ? `${count(number)} or more` : count(number);
}

function seconds(age: number | undefined): string {
  return age === undefined ? '–' : `${decimal(Math.round(age * 10) / 10)} s`;
}
