import type { DeliveryAttempt } from '@sigcast/contracts';
import { Facts } from '../../ui/facts.tsx';
import { exactTime, milliseconds } from '../../ui/format.ts';
import { Tag } from '../../ui/tag.tsx';
import { outcomeWords } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** One attempt: what was sent where, how long each part of it took, and what came of it. */
export function Attempt(props: {
  attempt: DeliveryAttempt;
  eventId: string;
  /** Of the webhook as it is now. */
  url: string;
}) {
  const { attempt } = props;
  const good = attempt.outcome === 'succeeded';
  return (
    <section className={styles.attempt} aria-label={`Attempt ${attempt.number}`}>
      <div className={styles.attemptHeader}>
        <span>Attempt {attempt.number}</span>
        <Tag tone={good ? 'good' : 'bad'}>{attempt.http_status ?? outcomeWords[attempt.outcome]}</Tag>
      </div>
      <Facts
        facts={[
          ['Outcome', outcomeWords[attempt.outcome]],
          ['Began', exactTime(attempt.started_at)],
          ['Took', milliseconds(attempt.duration_ms)],
          ...timingFacts(attempt),
          ...(attempt.address ? [['Sent to', attempt.address] as const] : []),
          ...(attempt.error === null ? [] : [['What went wrong', attempt.error] as const]),
        ]}
      />
      <span className={styles.what}>
        Request, put together from the log and the webhook’s present address. Its signature is not kept.
      </span>
      <pre className={styles.answer}>
        {`POST ${props.url}\nwebhook-id: ${props.eventId}\nwebhook-attempt: ${attempt.number}`}
      </pre>
      {attempt.response_body !== null && attempt.response_body !== '' && (
        <>
          <span className={styles.what}>Answer</span>
          <pre className={styles.answer}>{attempt.response_body}</pre>
        </>
      )}
    </section>
  );
}

/** What the time went into, one part after the other, as far as it came. */
function timingFacts({ timings }: DeliveryAttempt): (readonly [string, string])[] {
  const parts = [
    ['Name resolved in', timings?.dns_ms],
    ['Connected in', timings?.connect_ms],
    ['TLS in', timings?.tls_ms],
    ['First byte in', timings?.first_byte_ms],
  ] as const;
  return parts.flatMap(([name, ms]) => (typeof ms === 'number' ? [[name, milliseconds(ms)] as const] : []));
}
