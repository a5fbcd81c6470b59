import type { Delivery, WebhookHealth } from '@sigcast/client';
import { count } from '../../ui/format.ts';
import type { Tone } from '../../ui/tone.ts';

type Health = Pick<
  WebhookHealth,
  'last_24_hours' | 'last_attempts' | 'last_error' | 'waiting' | 'retrying' | 'failed'
>;

/** With so many of a hundred attempts a webhook is healthy: receivers restart, and a retry brings the event. */
const healthyPercent = 95;

/** The state of a webhook's deliveries in a word: that of its last attempts, where the API finds them. */
export function healthWord(health: Health): { readonly word: string; readonly tone: Tone } {
  const { last_24_hours: day, last_attempts: attempts, last_error: error, retrying } = health;
  // If many deliveries wait, the API finds no attempts, even if there were some.
  const rate = attempts.success_rate ?? day.success_rate ?? (retrying > 0 ? 0 : null);
  if (rate === null) return { word: error === null ? 'Nothing sent yet' : 'Unknown', tone: 'neutral' };
  if (rate >= healthyPercent) return { word: 'Healthy', tone: 'good' };
  return { word: rate === 0 ? 'Failing' : 'Some fail', tone: 'bad' };
}

/**
 * A health in one sentence. It counts attempts, as a delivery that is retried has not ended; where the API finds no attempts, it
 * counts the deliveries of the last 24 hours that have ended. Empty where there are neither.
 */
export function healthSentence({
  last_attempts: { attempts, succeeded },
  last_24_hours: day,
}: Health): string {
  if (attempts === 1) return `The only attempt ${succeeded === 1 ? 'succeeded' : 'failed'}.`;
  if (attempts > 0 && succeeded % attempts === 0) {
    return `The last ${attempts} attempts ${succeeded === 0 ? 'failed' : 'succeeded'}.`;
  }
  if (attempts > 0) return `${succeeded} of the last ${attempts} attempts succeeded.`;
  const all = day.delivered + day.failed;
  return all === 0
    ? ''
    : `${count(day.delivered)} of ${count(all)} deliveries of the last 24 hours succeeded.`;
}

/** The API stops counting here. */
const countsTo = 10_000;

/** A count of the log, such as 12, or 10,000 or more. */
export function logCount(number: number): string {
  return number >= countsTo ? `${count(number)} or more` : count(number);
}

type Attempted = Omit<NonNullable<Delivery['last_attempt']>, 'duration_ms'>;

/** The result of an attempt in a few words: the status, or why there is none. */
export function answerWords({ outcome, http_status: status, error }: Attempted): string {
  if (status !== null) return String(status);
  switch (outcome) {
    case 'timeout':
      return 'No answer within 5 s';
    case 'refused_address':
      return 'Address not allowed';
    case 'interrupted':
      return 'Interrupted by Sigcast';
    case 'succeeded':
    case 'bad_status':
    case 'connection':
      // Without the code of the error, which is in brackets.
      return error?.replace(/ \([A-Z0-9_]+\)$/, '') ?? 'No connection';
  }
}
