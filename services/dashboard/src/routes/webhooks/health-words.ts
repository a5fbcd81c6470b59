import type { Delivery, Webhook, WebhookHealth } from '@sigcast/client';
import { count, limit } from '../../ui/format.ts';
import type { Tone } from '../../ui/tone.ts';
import { stateOf } from './webhook-words.ts';

type Health = Pick<WebhookHealth, 'last_attempts' | 'waiting' | 'retrying'>;

/** With so many of a hundred attempts a webhook is healthy: receivers restart, and a retry brings the event. */
const healthyPercent = 95;

/** How the last attempts went, in a word. */
export function healthWord({ last_attempts: { success_rate: rate }, waiting, retrying }: Health): {
  readonly word: string;
  readonly tone: Tone;
} {
  // Behind many deliveries that wait, the API finds no attempts, even if there were some.
  if (rate === null && retrying > 0) return { word: 'Failing', tone: 'bad' };
  if (rate === null) return { word: waiting > 0 ? 'Waiting' : 'Nothing sent yet', tone: 'neutral' };
  if (rate >= healthyPercent) return { word: 'Healthy', tone: 'good' };
  return rate === 0 ? { word: 'Failing', tone: 'bad' } : { word: 'Some fail', tone: 'warn' };
}

/** Whether a tone says that attempts fail. */
export const isTrouble = (tone: Tone): boolean => tone === 'warn' || tone === 'bad';

/** The state of a webhook. Of one that sends, its health says whether that works. */
export function stateWith(webhook: Webhook, health: Health | undefined): ReturnType<typeof stateOf> {
  const { word, tone } = health === undefined ? { word: '', tone: 'neutral' as const } : healthWord(health);
  if (webhook.status !== 'enabled' || !isTrouble(tone)) return stateOf(webhook);
  return { word: `Enabled, ${word.toLowerCase()}`, tone };
}

/** How the last attempts went, in a sentence; empty where there were none. */
export function healthSentence({ last_attempts: { attempts, succeeded } }: Health): string {
  if (attempts === 0) return '';
  if (attempts === 1) return `The only attempt ${succeeded === 1 ? 'succeeded' : 'failed'}.`;
  if (succeeded % attempts === 0) {
    return `The last ${attempts} attempts ${succeeded === 0 ? 'failed' : 'succeeded'}.`;
  }
  return `${succeeded} of the last ${attempts} attempts succeeded.`;
}

/** A rate of success as it is shown. It needs no decimals: one of 50 attempts is 2%. */
export const rateWords = (percent: number): string => limit(Math.round(percent));

/** The time within which half of the attempts that were answered had their answer, in milliseconds. */
export function medianAnswerMs(results: WebhookHealth['last_attempts']['results']): number | undefined {
  const answered = results.filter(({ http_status: status }) => status !== null).map((one) => one.duration_ms);
  return answered.sort((a, b) => a - b)[Math.floor((answered.length - 1) / 2)];
}

/** How many deliveries wait, and why; empty where none does. */
export function waitingSentence(webhook: Webhook, health: Health): string {
  const { waiting, retrying } = health;
  if (waiting + retrying === 0) return '';
  return `Waiting: ${waitingWords(health)}. ${whyWaiting(webhook, health)}`.trim();
}

/** The sum is what the log lists as waiting. */
function waitingWords({ waiting, retrying }: Health): string {
  if (retrying === 0) return `${logCount(waiting)} for the first attempt`;
  if (waiting === 0) return `${logCount(retrying)} for a retry`;
  return `${logCount(waiting + retrying)}, ${logCount(retrying)} of them for a retry`;
}

function whyWaiting({ status, proven, ordered }: Webhook, health: Health): string {
  if (status === 'disabled') return 'They go out when you resume the webhook.';
  if (status === 'pending') return 'They go out once your e-mail address is verified.';
  if (!proven)
    return 'Until the first success, Sigcast sends one event at a time, with longer pauses after failures.';
  if (ordered && health.retrying > 0)
    return 'In order: a delivery that is retried goes before those behind it.';
  return isTrouble(healthWord(health).tone) ? 'While attempts fail, Sigcast sends less at once.' : '';
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
