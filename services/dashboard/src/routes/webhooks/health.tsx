import { useInViewport } from '@mantine/hooks';
import type { Webhook } from '@sigcast/client';
import { useHealth } from '../../api/queries.ts';
import { Instant } from '../../ui/instant.tsx';
import { Tag } from '../../ui/tag.tsx';
import { answerWords, healthSentence, healthWord } from './health-words.ts';
import { stateOf } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** How a subscription fares, in a list. Its health is loaded when it comes into view, because each is a request of its own. */
export function Health({ webhook }: { webhook: Webhook }) {
  const { id, status, failing_since: since } = webhook;
  const { ref, inViewport } = useInViewport<HTMLSpanElement>();
  const sends = status === 'enabled';
  const { data, isError } = useHealth(id, { enabled: inViewport && sends });
  const known = data === undefined ? (isError ? unknown : waiting) : healthWord(data);
  const { word, tone } = sends ? known : stateOf(webhook);
  const error = tone === 'bad' ? data?.last_error : undefined;
  return (
    <span ref={ref} className={styles.health}>
      <Tag tone={tone}>{word}</Tag>
      {since !== null && (
        <>
          {' '}
          since <Instant at={since} />
        </>
      )}{' '}
      <span className={styles.sentence}>
        {data !== undefined && healthSentence(data)}
        {error && (
          <>
            {' '}
            Last error: {answerWords(error)}, <Instant at={error.started_at} />.
          </>
        )}
      </span>
    </span>
  );
}

const unknown = { word: 'Unknown', tone: 'neutral' } as const;
const waiting = { word: '…', tone: 'neutral' } as const;
