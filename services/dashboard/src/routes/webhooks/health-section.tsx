import type { Webhook, WebhookHealth } from '@sigcast/client';
import { Link } from 'wouter';
import { useHealth } from '../../api/queries.ts';
import { milliseconds } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Tag } from '../../ui/tag.tsx';
import { adviceFor } from './advice.ts';
import { AttemptStrip } from './attempt-strip.tsx';
import {
  answerWords,
  healthSentence,
  healthWord,
  isTrouble,
  medianAnswerMs,
  rateWords,
  waitingSentence,
} from './health-words.ts';
import styles from './webhooks.module.css';

/** The health of a webhook: how its last attempts went, what to do about it, and what waits. */
export function HealthSection({ webhook }: { webhook: Webhook }) {
  const health = useHealth(webhook.id, { live: true });
  return (
    <Section title="Health">
      <Loaded query={health} lines={3}>
        {(data) => <Health webhook={webhook} health={data} />}
      </Loaded>
    </Section>
  );
}

function Health({ webhook, health }: { webhook: Webhook; health: WebhookHealth }) {
  const { word, tone } = healthWord(health);
  const {
    last_error: error,
    last_attempts: { success_rate: rate, results = [] },
  } = health;
  const median = medianAnswerMs(results);
  const waiting = waitingSentence(webhook, health);
  return (
    <div className={styles.sentences}>
      <div className={styles.rate}>
        {rate !== null && <b>{rateWords(rate)}</b>}
        <p>
          <Tag tone={tone}>{word}</Tag>
          <span>
            {healthSentence(health)}
            {median !== undefined && ` Half were answered within ${milliseconds(median)}.`}
          </span>
        </p>
      </div>
      {results.length > 0 && (
        <div className={styles.strip}>
          <AttemptStrip health={health} />
        </div>
      )}
      {results.length > 0 && <p className={styles.legend}>Height: duration. Right: the newest.</p>}
      {error !== null && rate !== 100 && (
        <p>
          <Link href={`/webhooks/${webhook.id}?delivery=${encodeURIComponent(error.delivery_id)}`}>
            Last error
          </Link>
          : <b>{answerWords(error)}</b>, <Instant at={error.started_at} />.{' '}
          {isTrouble(tone) && adviceFor(error)}
        </p>
      )}
      {waiting !== '' && <p>{waiting}</p>}
    </div>
  );
}
