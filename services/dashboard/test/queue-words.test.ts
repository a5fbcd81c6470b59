import { describe, expect, it } from 'vitest';
import { queueWord } from '../src/routes/operator/queue-words.ts';

describe('the state of a queue', () => {
  it.each([
    [{ kind: 'parked', messages: 1 }, 'Parked', 'bad'],
    [{ kind: 'parked', messages: 0 }, 'Parked', 'neutral'],
    [{ kind: 'parked', messages: null }, 'Parked', 'neutral'],
    [{ kind: 'waiting', messages: 1 }, 'Waiting', 'neutral'],
    [{ kind: 'waiting', messages: null }, 'Waiting', 'neutral'],
  ] as const)('of %j is %s, and %s', (queue, word, tone) => {
    expect(queueWord(queue)).toEqual({ word, tone });
  });
});
