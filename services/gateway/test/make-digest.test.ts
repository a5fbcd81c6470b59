import { expect, it } from 'vitest';
import { makeDigest } from '../src/domain/mail/make-digest.ts';
import { digestDelayMs } from '../src/domain/mail/settings.ts';
import { dayMs } from '../src/domain/usage.ts';

const since = new Date('2026-01-01T09:00:00.000Z');

/** The end of a digest that is made so long after `since`, and the periods that it listed, in days after `since`. */
async function madeAfter(ms: number) {
  const listed: number[][] = [];
  const inDays = (at: Date) => (at.getTime() - since.getTime()) / dayMs;
  const until = await makeDigest(
    { account: 'acct_1', every: 'daily', filter: null, since },
    new Date(since.getTime() + ms),
    {
      mails: { add: async () => true, find: async () => undefined },
      list: async (_account, asked) => {
        listed.push([asked.since, asked.until].map(inDays));
        return { total: 0, signals: [] };
      },
    },
  );
  return { until: inDays(until), listed };
}

it('a digest ends some minutes before it is made, so that signals stored late are in it', async () => {
  expect(await madeAfter(2 * dayMs + digestDelayMs - 1)).toEqual({ until: 1, listed: [[0, 1]] });
  expect(await madeAfter(2 * dayMs + digestDelayMs)).toEqual({ until: 2, listed: [[0, 2]] });
});

it('a digest covers 31 days at most', async () => {
  expect(await madeAfter(40.5 * dayMs)).toEqual({ until: 40, listed: [[9, 40]] });
});
