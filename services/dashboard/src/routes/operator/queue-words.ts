import type { OperatorSystem } from '@sigcast/contracts';
import type { Tone } from '../../ui/tone.ts';

type Queue = NonNullable<OperatorSystem['signals']>['queues'][number];

/** What a queue holds. Parked messages are bad news; a number that is not known is no news. */
export function queueWord({ kind, messages }: Pick<Queue, 'kind' | 'messages'>): {
  readonly word: string;
  readonly tone: Tone;
} {
  if (kind === 'waiting') return { word: 'Waiting', tone: 'neutral' };
  return { word: 'Parked', tone: messages !== null && messages > 0 ? 'bad' : 'neutral' };
}
