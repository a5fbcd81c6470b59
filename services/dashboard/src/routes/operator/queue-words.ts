import type { OperatorSystem } from '@sigcast/contracts';
import type { Tone } from '../../ui/tone.ts';

type Queue = NonNullable<OperatorSystem['signals']>['queues'][number];

/** The state of a queue in words. Parked messages are bad; an unknown number is neutral. */
export function queueWord({ kind, messages }: Pick<Queue, 'kind' | 'messages'>): {
  readonly word: string;
  readonly tone: Tone;
} {
  if (kind === 'waiting') return { word: 'Waiting', tone: 'neutral' };
  return { word: 'Parked', tone: messages !== null && messages > 0 ? 'bad' : 'neutral' };
}
