import { defineScript, type RedisClient } from '@sigcast/redis';
import type { List } from './lists.ts';

const takeTurn = defineScript("return redis.call('SET', KEYS[1], '', 'NX', 'PX', ARGV[1]) and 1 or 0");

/**
 * Whose turn it is to read a list: over all scanners that share a Redis, one reads it in an interval. A scanner that is killed
 * then leaves the list unread for so long. The function throws while Redis is away.
 */
export function listTurns(redis: RedisClient, everyMs: number): (list: List) => Promise<boolean> {
  // A little less, so that who reads each time finds the turn ended.
  const turnMs = Math.max(1, Math.floor(everyMs * 0.9));
  return async ({ path }) => Number(await takeTurn(redis, [`market:list:${path}`], [turnMs])) === 1;
}
