import { defineScript, type RedisClient } from '@sigcast/redis';
import type { StreamSlots } from '../domain/stream-principal.ts';
import type { AskRedis } from './ask-redis.ts';
import { redisClock } from './scripts.ts';

/** How long a slot stays taken without a renewal, and so after its gateway has died. */
const defaultLeaseMs = 30_000;
/** Accounts renewed at once. */
const renewedAtOnce = 50;

/** Key: an account's streams, each with the end of its lease. Arguments: lease, bound, the stream's id. */
const acquireSlot = defineScript(`${redisClock}
local now = clock()
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`);

/** Key: an account's streams. Arguments: lease, then ids of streams that are open. */
const renewSlots = defineScript(`${redisClock}
local now = clock()
if #ARGV < 2 then return 0 end
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 0
`);

/** Slots of streams in Redis, one sorted set for each account. */
export function redisStreamSlots(redis: RedisClient, ask: AskRedis, leaseMs = defaultLeaseMs): StreamSlots {
  return {
    acquire: async (account, streamId, max) =>
      (await ask(streamsOf(account), (key) => acquireSlot(redis, [key], [leaseMs, max, streamId]))) !== 0,
    release: async (account, streamId) => {
      await ask(streamsOf(account), (key) => redis.zrem(key, streamId));
    },
    renew: async (byAccount) => {
      const accounts = [...byAccount.keys()];
      for (let at = 0; at < accounts.length; at += renewedAtOnce) {
        await Promise.all(
          accounts.slice(at, at + renewedAtOnce).map((account) => {
            // Read right before the call: a stream may have ended and released its slot during the batches before.
            const ids = byAccount.get(account) ?? [];
            return ask(streamsOf(account), (key) => renewSlots(redis, [key], [leaseMs, ...ids]));
          }),
        );
      }
    },
  };
}

function streamsOf(account: string): string {
  return `{${account}}:streams`;
}
