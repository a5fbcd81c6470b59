import { type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, success } from './answers.ts';
import { testClient } from './surroundings.ts';

let server: Receiver;

beforeAll(async () => {
  server = await startReceiver();
});

afterAll(() => server?.[Symbol.asyncDispose]());

const ids = (...names: string[]) => names.map((id) => ({ id }));

async function collect(items: AsyncIterable<{ id: string }>): Promise<string[]> {
  const collected: string[] = [];
  for await (const { id } of items) collected.push(id);
  return collected;
}

describe('iterating', () => {
  it('over signals follows the cursors to the end, also through a rate limit', async () => {
    const { sigcast } = testClient(server.url);
    const page = (cursor: string) => `/v1/signals?type=3d&limit=2${cursor}`;
    server.script(page(''), success(ids('a', 'b'), { next_cursor: 'x' }));
    const refused = failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfterS: 60 });
    server.script(page('&cursor=x'), refused, success(ids('c', 'd'), { next_cursor: 'y' }));
    server.script(page('&cursor=y'), success(ids('e'), { next_cursor: null }));
    expect(await collect(sigcast.signals.iterate({ type: '3d', limit: 2 }))).toEqual([...'abcde']);
  });

  it('over signals requests no page after the loop is left', async () => {
    const { sigcast } = testClient(server.url);
    server.script('/v1/signals?limit=100', success(ids('a', 'b'), { next_cursor: 'z' }));
    for await (const { id } of sigcast.signals.iterate()) if (id === 'b') break;
    expect(server.requests.filter(({ path }) => path.includes('cursor=z'))).toEqual([]);
  });

  it('over events reads page after page, also past empty ones, until there are no more', async () => {
    const { sigcast } = testClient(server.url);
    const page = (after: string) => `/v1/events?after=${after}&events=signal.winner&limit=100`;
    server.script(page('1'), success(ids('a'), { next_cursor: '2', has_more: true }));
    server.script(page('2'), success([], { next_cursor: '3', has_more: true }));
    server.script(page('3'), success(ids('b'), { next_cursor: '4', has_more: false }));
    expect(await collect(sigcast.events.iterate({ after: '1', events: 'signal.winner' }))).toEqual([
      'a',
      'b',
    ]);
  });
});
