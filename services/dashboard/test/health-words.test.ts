import { describe, expect, it } from 'vitest';
import { adviceFor } from '../src/routes/webhooks/advice.ts';
import { answerWords, healthSentence, healthWord, logCount } from '../src/routes/webhooks/health-words.ts';

function health(
  [delivered, failed]: readonly [number, number],
  [succeeded, attempts]: readonly [number, number],
  retrying = 0,
) {
  const rate = delivered + failed === 0 ? null : (delivered / (delivered + failed)) * 100;
  return {
    last_24_hours: { since: '2026-11-22T00:00:00Z', delivered, failed, success_rate: rate },
    last_attempts: {
      attempts,
      succeeded,
      success_rate: attempts === 0 ? null : (succeeded / attempts) * 100,
    },
    last_error: null,
    waiting: 0,
    retrying,
    failed,
  };
}

const lastError = {
  delivery_id: 'evt_1',
  started_at: '2026-11-22T00:00:00Z',
  outcome: 'bad_status' as const,
  http_status: 503,
  error: 'Answered 503',
};

describe("a webhook's health", () => {
  it.each([
    ['Nothing sent yet', 'neutral', '', health([0, 0], [0, 0])],
    [...['Healthy', 'good'], 'The only attempt succeeded.', health([1, 0], [1, 1])],
    [...['Healthy', 'good'], '97 of the last 100 attempts succeeded.', health([230, 0], [97, 100])],
    [...['Some fail', 'bad'], '93 of the last 100 attempts succeeded.', health([975, 25], [93, 100])],
    ['Failing', 'bad', 'The only attempt failed.', health([0, 0], [0, 1], 1)],
    ['Some fail', 'bad', '3 of the last 4 attempts succeeded.', health([0, 0], [3, 4], 1)],
    [...['Failing', 'bad'], 'The last 12 attempts failed.', health([0, 3], [0, 12])],
    ['Healthy', 'good', 'The last 40 attempts succeeded.', health([0, 0], [40, 40])],
    // 85 have ended well; of the others each attempt since then has failed.
    ['Failing', 'bad', 'The last 100 attempts failed.', health([85, 0], [0, 100], 104)],
  ] as const)('is the word %j (%s) and the sentence %j', (word, tone, sentence, figures) => {
    expect(healthWord(figures)).toEqual({ word, tone });
    expect(healthSentence(figures)).toBe(sentence);
  });

  it.each([
    ['Healthy', '12 of 12 deliveries of the last 24 hours succeeded.', health([12, 0], [0, 0])],
    ['Some fail', '3 of 4 deliveries of the last 24 hours succeeded.', health([3, 1], [0, 0])],
    ['Failing', '', health([0, 0], [0, 0], 1)],
    ['Unknown', '', { ...health([0, 0], [0, 0]), last_error: lastError }],
  ])('is %j, without the attempts, when a long queue hides them', (word, sentence, figures) => {
    const hidden = { ...figures, waiting: 2_500 };
    expect(healthWord(hidden).word).toBe(word);
    expect(healthSentence(hidden)).toBe(sentence);
  });

  it('has counts that end where the API stops counting', () => {
    expect([9_999, 10_000].map(logCount)).toEqual(['9,999', '10,000 or more']);
  });
});

const attempt = (outcome: string, http_status: number | null, error: string | null) =>
  ({ started_at: '2026-11-22T00:00:00Z', outcome, http_status, error }) as Parameters<typeof adviceFor>[0];

describe('an attempt', () => {
  it.each([
    ['200', undefined, attempt('succeeded', 200, null)],
    ['503', /Look at the log there/, attempt('bad_status', 503, 'Answered 503')],
    ['401', /signing secret/, attempt('bad_status', 401, 'Answered 401')],
    ['302', /final address/, attempt('bad_status', 302, 'Answered 302')],
    ['204', /Answer 200/, attempt('bad_status', 204, 'Answered 204')],
    ['No answer within 5 s', /5 seconds/, attempt('timeout', null, 'No answer within 5000 ms')],
    [
      'The connection was refused',
      /Nothing listens/,
      attempt('connection', null, 'The connection was refused (ECONNREFUSED)'),
    ],
    [
      'The host name does not exist',
      /host name/,
      attempt('connection', null, 'The host name does not exist (ENOTFOUND)'),
    ],
    [
      'The certificate has expired',
      /valid certificate/,
      attempt('connection', null, 'The certificate has expired (CERT_HAS_EXPIRED)'),
    ],
    ['Interrupted by Sigcast', undefined, attempt('interrupted', null, null)],
  ] as const)('has the result %j in words, and advice that matches %s', (words, advice, made) => {
    expect(answerWords(made)).toBe(words);
    if (advice === undefined) expect(adviceFor(made)).toBeUndefined();
    else expect(adviceFor(made)).toMatch(advice);
  });
});
