import { defineScript, type RedisClient } from '@sigcast/redis';

/**
 * Permits to ask a source, over all processes that share a Redis. Methods throw while Redis is away: then nobody may ask.
 */
export type Permits = {
  /** Takes a permit. @returns 0 when it was given, otherwise in how many milliseconds to try again. */
  take(): Promise<number>;
  /** From now on gives no permit for so many milliseconds. */
  pause(ms: number): Promise<void>;
};

/** Begins the key with the time from which a source's next permit is given, in microseconds of Redis' clock. */
const prefix = 'market:';

/**
 * The generic cell rate algorithm (ITU-T I.371) without a burst: permits are an interval apart, so there are never more
 * than the limit in any minute. By Redis' own clock, which is the same for all of them.
 */
const clock = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local next = tonumber(redis.call('GET', KEYS[1]) or '0')
local function set(at)
  redis.call('SET', KEYS[1], string.format('%.0f', at), 'PX', math.ceil((at - now) / 1000))
end
`;

const takeOne = defineScript(`${clock}
if next > now then return math.ceil((next - now) / 1000) end
set(now + tonumber(ARGV[1]))
return 0
`);

const pauseAll = defineScript(`${clock}
local at = now + ARGV[1] * 1000
if at > next then set(at) end
return 0
`);

/** Permits to ask a source, in Redis. */
export function redisPermits(
  redis: RedisClient,
  { source, perMinute }: { readonly source: string; readonly perMinute: number },
): Permits {
  const key = prefix + source;
  const intervalUs = Math.ceil(60_000_000 / perMinute);
  return {
    take: async () => Number(await takeOne(redis, [key], [intervalUs])),
    pause: async (ms) => {
      if (ms > 0) await pauseAll(redis, [key], [Math.ceil(ms)]);
    },
  };
}
