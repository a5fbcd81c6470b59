import { useInViewport } from '@mantine/hooks';
import type { Webhook } from '@sigcast/client';
import { useHealth } from '../../api/queries.ts';
import { Instant } from '../../ui/instant.tsx';
import { Tag } from '../../ui/tag.tsx';
import { AttemptStrip } from './attempt-strip.tsx';
import { answerWords, healthWord, isTrouble, rateWords } from './health-words.ts';
import { stateOf } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** How a webhook fares, in a list. Its health is loaded when it comes into view, because each is a request of its own. */
export function Health({ webhook }: { webhook: Webhook }) {
  const { id, status, failing_since: since } = webhook;
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const sends = status === 'enabled';
  const { data, isError } = useHealth(id, { enabled: inViewport && sends });
  const known =
    data === undefined ? (since === null ? (isError ? unknown : waiting) : failing) : healthWord(data);
  const { word, tone } = sends ? known : stateOf(webhook);
  const error = isTrouble(tone) ? data?.last_error : undefined;
  const rate = data?.last_attempts.success_rate ?? null;
  return (
    <div ref={ref} className={styles.health}>
      <span className={styles.smallStrip}>{data && rate !== null && <AttemptStrip health={data} />}</span>
      <span className={styles.smallRate}>{rate !== null && rateWords(rate)}</span>
      <Tag tone={tone}>{word}</Tag>
      <span className={styles.sentence} title={error ? answerWords(error) : undefined}>
        {since !== null && (
          <>
            Failing for <Instant at={since} lasts />.{' '}
          </>
        )}
        {error && (
          <>
            <span className={styles.what}>Last error: </span>
            {answerWords(error)}, <Instant at={error.started_at} />
          </>
        )}
      </span>
    </div>
  );
}

const failing = { word: 'Failing', tone: 'bad' } as const;
const unknown = { word: 'Unknown', tone: 'neutral' } as const;
const waiting = { word: '…', tone: 'neutral' } as const;
