import { Text } from '@mantine/core';
import type { DeliveryAttempt } from '@sigcast/client';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { count, exactTime, milliseconds, plural } from '../../ui/format.ts';
import { Tag } from '../../ui/tag.tsx';
import { curlCommand } from './curl-command.ts';
import styles from './delivery.module.css';
import { Disclosure } from './disclosure.tsx';
import { HeadersTable } from './headers-table.tsx';
import { outcomeWords } from './webhook-words.ts';

/** The service stores this much of an answer, in bytes. */
const keptBodyBytes = 1_000;

/** One attempt: the request, the answer, and how long each part took. */
export function Attempt(props: {
  attempt: DeliveryAttempt;
  /** The body of the request; null when it is no longer stored, and for a chat, which gets a message made of it. */
  body: string | null;
}) {
  const { attempt, body } = props;
  const { request, response_headers: answerHeaders } = attempt;
  const name = `Attempt ${attempt.number}`;
  // The delivery's body is a part of what a batch sent.
  const isWhole = attempt.batch === undefined && body !== null;
  const command = request === undefined || !isWhole ? undefined : curlCommand(request, body);
  return (
    <section className={styles.attempt} aria-label={name}>
      <div className={styles.attemptHeader}>
        <span className={styles.attemptName}>{name}</span>
        <Tag tone={attempt.outcome === 'succeeded' ? 'good' : 'bad'}>
          {attempt.http_status ?? outcomeWords[attempt.outcome]}
        </Tag>
        <span className={styles.when}>{exactTime(attempt.started_at)}</span>
        {command !== undefined && <CopyButton text={command}>Copy as curl</CopyButton>}
      </div>
      {attempt.error !== null && (
        <Text size="sm" c="var(--loss)" mb="xs" style={{ overflowWrap: 'anywhere' }}>
          {attempt.error}
        </Text>
      )}
      <Facts
        facts={[
          ...(request === undefined ? [] : [['Sent to', request.url] as const]),
          ...(attempt.address ? [['IP address', attempt.address] as const] : []),
          ['Duration', milliseconds(attempt.duration_ms)],
          ...(attempt.batch === undefined ? [] : [['Batch', batchWords(attempt.batch)] as const]),
          ...timingFacts(attempt),
        ]}
      />
      {attempt.response_body !== null && attempt.response_body !== '' && (
        <Disclosure title={responseTitle(attempt.response_body)} opened>
          <pre>{attempt.response_body}</pre>
        </Disclosure>
      )}
      {request === undefined ? (
        <Text size="xs" c="dimmed" mt="xs">
          {noRequest(attempt)}
        </Text>
      ) : (
        <Disclosure title={`Request headers (${count(request.headers.length)})`}>
          <HeadersTable label={`Request headers of attempt ${attempt.number}`} headers={request.headers} />
        </Disclosure>
      )}
      {answerHeaders && answerHeaders.length > 0 && (
        <Disclosure title={`Response headers (${count(answerHeaders.length)})`}>
          <HeadersTable label={`Response headers of attempt ${attempt.number}`} headers={answerHeaders} />
        </Disclosure>
      )}
    </section>
  );
}

function batchWords({ id, events }: NonNullable<DeliveryAttempt['batch']>): string {
  return `${id}, ${plural(events, 'event')}${events === 1 ? '' : ' in one request'}`;
}

function noRequest({ outcome, batch }: DeliveryAttempt): string {
  if (batch !== undefined) return `The headers are kept with the first delivery of the batch: ${batch.first}`;
  if (outcome === 'refused_address') return 'Nothing was sent: the address is not allowed.';
  if (outcome === 'interrupted')
    return 'Sigcast was interrupted during this attempt, so the headers were not kept.';
  return 'The headers of this attempt were not kept.';
}

function responseTitle(body: string): string {
  // A character that is cut by the limit is left out.
  const cut = new TextEncoder().encode(body).length > keptBodyBytes - 4;
  return cut ? 'Response body (the first 1,000 bytes)' : 'Response body';
}

/** How long each part of the attempt took, in order, as far as the attempt got. */
function timingFacts({ timings }: DeliveryAttempt): (readonly [string, string])[] {
  const parts = [
    ['Name resolved in', timings?.dns_ms],
    ['Connected in', timings?.connect_ms],
    ['TLS in', timings?.tls_ms],
    ['First byte in', timings?.first_byte_ms],
  ] as const;
  return parts.flatMap(([name, ms]) => (typeof ms === 'number' ? [[name, milliseconds(ms)] as const] : []));
}
