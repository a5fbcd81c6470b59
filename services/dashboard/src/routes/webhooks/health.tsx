import { useInViewport } from '@mantine/hooks';
import { useHealth } from '../../api/queries.ts';
import { Instant } from '../../ui/instant.tsx';
import { Tag } from '../../ui/tag.tsx';
import { answerWords, healthSentence, healthWord } from './health-words.ts';
import styles from './webhooks.module.css';

/** The health of a subscription in a list. Loaded when it comes into view, because each is a request of its own. */
export function Health({ id }: { id: string }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const { data, isError } = useHealth(id, { enabled: inViewport });
  const { word, tone } = data === undefined ? (isError ? unknown : waiting) : healthWord(data);
  return (
    <div ref={ref} className={styles.health}>
      <span className={styles.sentence}>
        <Tag tone={tone}>{word}</Tag> {data !== undefined && healthSentence(data)}
      </span>
      {data?.last_error && (
        <span className={styles.sentence}>
          Last error: {answerWords(data.last_error)}, <Instant at={data.last_error.started_at} />.
        </span>
      )}
    </div>
  );
}

const unknown = { word: 'Unknown', tone: 'neutral' } as const;
const waiting = { word: '…', tone: 'neutral' } as const;
