import type { WebhookHealth } from '@sigcast/client';
import { recentAttempts } from '@sigcast/contracts';
import { milliseconds } from '../../ui/format.ts';
import styles from './attempt-strip.module.css';
import { answerWords, healthSentence } from './health-words.ts';

/** Height in units of the picture, and the latency that fills it. */
const [height, fullMs] = [32, 5_000];
const [barWidth, step] = [4, 6];

/** The last attempts, the newest at the right: how long each took, and whether it succeeded. */
export function AttemptStrip({ health }: { health: WebhookHealth }) {
  const { results = [] } = health.last_attempts;
  return (
    <svg
      className={styles.strip}
      viewBox={`0 0 ${recentAttempts * step} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={healthSentence(health)}
    >
      {results.map((attempt, at) => (
        <rect
          key={`${attempt.started_at} ${at}`}
          className={attempt.outcome === 'succeeded' ? styles.good : styles.bad}
          x={(recentAttempts - 1 - at) * step}
          width={barWidth}
          {...barOf(attempt.duration_ms)}
        >
          <title>{`${answerWords(attempt)}, ${milliseconds(attempt.duration_ms)}`}</title>
        </rect>
      ))}
    </svg>
  );
}

/** On a logarithmic scale, as latencies are from a millisecond to seconds. */
function barOf(ms: number): { readonly y: number; readonly height: number } {
  const share = Math.log(1 + ms) / Math.log(1 + fullMs);
  const tall = Math.max(4, Math.round(Math.min(1, share) * height));
  return { y: height - tall, height: tall };
}
