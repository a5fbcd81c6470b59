import type { Webhook } from '@sigcast/client';
import { describe, expect, it } from 'vitest';
import { adviceFor } from '../src/routes/webhooks/advice.ts';
import {
  answerWords,
  healthSentence,
  healthWord,
  logCount,
  rateWords,
  stateWith,
  waitingSentence,
} from '../src/routes/webhooks/health-words.ts';

function health(succeeded: number, attempts: number, { waiting = 0, retrying = 0 } = {}) {
  const success_rate = attempts === 0 ? null : (succeeded / attempts) * 100;
  return { last_attempts: { attempts, succeeded, success_rate, results: [] }, waiting, retrying };
}

const enabled = { status: 'enabled', proven: true, ordered: false } as Webhook;

describe("a webhook's health", () => {
  it.each([
    ['Nothing sent yet', 'neutral', '', health(0, 0)],
    ['Waiting', 'neutral', '', health(0, 0, { waiting: 2_500 })],
    ['Failing', 'bad', '', health(0, 0, { waiting: 2_500, retrying: 1 })],
    ['Healthy', 'good', 'The only attempt succeeded.', health(1, 1)],
    ['Healthy', 'good', '49 of the last 50 attempts succeeded.', health(49, 50)],
    ['Some fail', 'warn', '46 of the last 50 attempts succeeded.', health(46, 50)],
    ['Failing', 'bad', 'The only attempt failed.', health(0, 1, { retrying: 1 })],
    ['Failing', 'bad', 'The last 12 attempts failed.', health(0, 12)],
    ['Healthy', 'good', 'The last 40 attempts succeeded.', health(40, 40)],
  ] as const)(
    'is the word %j (%s) and the sentence %j, of the last attempts alone',
    (word, tone, sentence, figures) => {
      expect(healthWord(figures)).toEqual({ word, tone });
      expect(healthSentence(figures)).toBe(sentence);
    },
  );

  it.each([
    ['', enabled, health(50, 50)],
    ['Waiting: 3 for a retry.', enabled, health(49, 50, { retrying: 3 })],
    [
      'Waiting: 78, 7 of them for a retry. While attempts fail, Sigcast sends less at once.',
      enabled,
      health(0, 50, { waiting: 71, retrying: 7 }),
    ],
    [
      'Waiting: 71 for the first attempt. Until the first success, Sigcast sends one event at a time, with longer pauses after failures.',
      { ...enabled, proven: false },
      health(0, 8, { waiting: 71 }),
    ],
    [
      'Waiting: 3, 1 of them for a retry. In order: a delivery that is retried goes before those behind it.',
      { ...enabled, ordered: true },
      health(49, 50, { waiting: 2, retrying: 1 }),
    ],
    [
      'Waiting: 9 for the first attempt. They go out when you resume the webhook.',
      { ...enabled, status: 'disabled' } as Webhook,
      health(50, 50, { waiting: 9 }),
    ],
  ] as const)('says how many deliveries wait, and why: %j', (sentence, webhook, figures) => {
    expect(waitingSentence(webhook, figures)).toBe(sentence);
  });

  it.each([
    ['Enabled', enabled, undefined],
    ['Enabled', enabled, health(50, 50)],
    ['Enabled, some fail', enabled, health(46, 50)],
    ['Enabled, failing', enabled, health(0, 12)],
    ['Disabled', { ...enabled, status: 'disabled' } as Webhook, health(0, 12)],
  ] as const)('is a part of the state %j', (word, webhook, figures) => {
    expect(stateWith(webhook, figures).word).toBe(word);
  });

  it('has rates without decimals, which are never 100% where an attempt failed', () => {
    expect([(6 / 7) * 100, 98, 100, 0].map(rateWords)).toEqual(['86%', '98%', '100%', '0%']);
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
