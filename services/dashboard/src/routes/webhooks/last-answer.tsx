import type { Delivery } from '@sigcast/client';
import { answerWords } from './health-words.ts';
import styles from './webhooks.module.css';

/** The result of a delivery's last attempt. */
export function LastAnswer({ delivery: { last_attempt: last } }: { delivery: Delivery }) {
  if (!last) return '–';
  const good = last.outcome === 'succeeded';
  return <span className={good ? styles.goodAnswer : styles.badAnswer}>{answerWords(last)}</span>;
}
