import type { Delivery, WebhookHealth } from '@sigcast/client';
import { count, share } from '../../ui/format.ts';
import type { Tone } from '../../ui/tone.ts';

type Health = Pick<
  WebhookHealth,
  'last_24_hours' | 'last_attempts' | 'last_error' | 'waiting' | 'retrying' | 'failed'
>;

/** The state of a webhook's deliveries in a word. */
export function healthWord(health: Health): { readonly word: string; readonly tone: Tone } {
  const { last_24_hours: day, last_attempts: attempts, last_error: error, retrying } = health;
  // If many deliveries wait, the API finds no attempts, even if there were some.
  const attemptsKnown = attempts.attempts > 0;
  const succeeded = attemptsKnown ? attempts.succeeded : day.delivered;
  const someFailed = retrying > 0 || day.failed > 0;
  if (succeeded === 0 && (attemptsKnown || someFailed)) return { word: 'Failing', tone: 'bad' };
  if (someFailed) return { word: 'Some failed', tone: 'bad' };
  if (succeeded > 0) return { word: 'Healthy', tone: 'good' };
  return { word: error === null ? 'Nothing sent yet' : 'Unknown', tone: 'neutral' };
}

/** How many deliveries of the last 24 hours succeeded; undefined where none has ended. */
function dayWords({ delivered, failed, success_rate: rate }: Health['last_24_hours']): string | undefined {
  const all = delivered + failed;
  if (rate === null) return undefined;
  if (all === 1) return `The only delivery of the last 24 hours ${failed === 0 ? 'succeeded' : 'failed'}`;
  if (failed === 0) return `All ${count(all)} deliveries of the last 24 hours succeeded`;
  if (delivered === 0) return `All ${count(all)} deliveries of the last 24 hours failed`;
  // A percentage of a few deliveries would say less than their number.
  return all < 100
    ? `${delivered} of ${all} deliveries of the last 24 hours succeeded (${share(rate)})`
    : `${share(rate)} of ${count(all)} deliveries of the last 24 hours succeeded`;
}

/** How many of the last attempts succeeded; undefined where none is known. */
function attemptWords({ attempts, succeeded }: Health['last_attempts']): string | undefined {
  if (attempts === 0) return undefined;
  if (attempts === 1) return succeeded === 1 ? 'The only attempt succeeded' : 'The only attempt failed';
  if (succeeded === attempts) return `The last ${attempts} attempts succeeded`;
  if (succeeded === 0) return `The last ${attempts} attempts failed`;
  return `${succeeded} of the last ${attempts} attempts succeeded`;
}

/** A health in one sentence or two. */
export function healthSentence(health: Health): string {
  const parts = [dayWords(health.last_24_hours), attemptWords(health.last_attempts)];
  return parts.flatMap((part) => (part === undefined ? [] : [`${part}.`])).join(' ');
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
