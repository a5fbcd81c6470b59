import { defineScript } from '@sigcast/redis';

/** Unix milliseconds on Redis' own clock, which is the same for all gateways. */
export const redisClock = `
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
`;

/**
 * Each script gets all its Redis keys as arguments, with one hash tag, so that it runs on Redis Cluster too. A window is two
 * fields of a Redis hash: its count and its end (Unix milliseconds). The windows of an account's keys or sessions are `m`
 * and `me` for the minute, `d` and `de` for the day. Any other subject has `m` and `me` only.
 */
const windows = `
-- The same rule as countNow() in domain/usage.ts.
local function countNow(used, ends, now, latest)
  ends = tonumber(ends)
  if not ends or ends <= now or ends > latest then return 0, latest end
  return tonumber(used), ends
end

local function midnightAfter(now)
  return (math.floor(now / 86400000) + 1) * 86400000
end
`;

/** First element of what `admitKey` returns. */
export const verdicts = {
  admitted: 0,
  limited: 1,
  missing: 2,
  revoked: 3,
  expired: 4,
  suspended: 5,
} as const;

/**
 * Counts a request in both windows of an account, or in none when one is full. It counts as `cost` requests, or as many as a
 * window has left: whoever has any request left is admitted. The same rule as charge() in domain/usage.ts.
 */
const charge = `
local function charge(now, window, name, perMinute, perDay, cost, refresh)
  local stored = redis.call('HMGET', name, 'm', 'me', 'd', 'de')
  local midnight = midnightAfter(now)
  local minute, minuteEnds = countNow(stored[1], stored[2], now, now + window)
  local day, dayEnds = countNow(stored[3], stored[4], now, midnight)
  local verdict = ${verdicts.limited}
  if minute < perMinute and day < perDay then
    verdict = ${verdicts.admitted}
    local first = day == 0
    minute = math.min(minute + cost, perMinute)
    day = math.min(day + cost, perDay)
    redis.call('HSET', name, 'm', minute, 'me', minuteEnds, 'd', day, 'de', dayEnds)
    -- A minute that began before midnight goes on after it.
    if first then redis.call('PEXPIRE', name, midnight + window - now) end
  end
  return {verdict, now, minute, minuteEnds, day, dayEnds, perMinute, perDay, refresh}
end
`;

/**
 * Keys: key record, account record, the account's windows. Arguments: window in milliseconds, age in milliseconds
 * above which a cache entry is to be refreshed, cost. Returns `[verdict, now, used this minute, its end, used today, its end,
 * per minute, per day, refresh]`; only one caller at a time gets `refresh` = 1.
 */
const admitKey = `
local now = clock()
local window = tonumber(ARGV[1])
local key = redis.call('HMGET', KEYS[1], 'revoked', 'expires', 'at')
local account = redis.call('HMGET', KEYS[2], 'status', 'minute', 'day', 'at')
if not key[1] or not account[1] then return {${verdicts.missing}, now} end

local refresh = 0
local oldest = now - ARGV[2]
if tonumber(key[3]) < oldest or tonumber(account[4]) < oldest then
  refresh = 1
  redis.call('HSET', KEYS[1], 'at', now)
  redis.call('HSET', KEYS[2], 'at', now)
end

local function refused(verdict) return {verdict, now, 0, 0, 0, 0, 0, 0, refresh} end
if key[1] == '1' or account[1] == 'deleted' then return refused(${verdicts.revoked}) end
local expires = tonumber(key[2])
if expires > 0 and expires <= now then return refused(${verdicts.expired}) end
if account[1] ~= 'active' then return refused(${verdicts.suspended}) end

return charge(now, window, KEYS[3], tonumber(account[2]), tonumber(account[3]), tonumber(ARGV[3]), refresh)
`;

/**
 * Key: the windows of an account's sessions. Arguments: window in milliseconds, limit a minute, limit a day, cost. Returns
 * what `admitKey` returns.
 */
const admitSession = `
return charge(clock(), tonumber(ARGV[1]), KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), 0)
`;

/** Key: the window of an address or other subject. Arguments: its milliseconds, limit. Returns `[admitted, now, used, its end]`. */
const admitNamed = `
local now = clock()
local window = tonumber(ARGV[1])
local stored = redis.call('HMGET', KEYS[1], 'm', 'me')
local used, ends = countNow(stored[1], stored[2], now, now + window)
if used >= tonumber(ARGV[2]) then return {0, now, used, ends} end
redis.call('HSET', KEYS[1], 'm', used + 1, 'me', ends)
if used == 0 then redis.call('PEXPIRE', KEYS[1], window) end
return {1, now, used + 1, ends}
`;

/** Key: the window of an address or other subject. Takes back one attempt. */
const refund = `
if tonumber(redis.call('HGET', KEYS[1], 'm') or 0) > 0 then redis.call('HINCRBY', KEYS[1], 'm', -1) end
return 0
`;

/** Key: the windows of an account's keys. Returns how many requests were admitted today. */
const usedToday = `
local now = clock()
local day = redis.call('HMGET', KEYS[1], 'd', 'de')
return (countNow(day[1], day[2], now, midnightAfter(now)))
`;

/**
 * Caches a record, unless a greater `rev` is cached or the record was read too long ago. Key: the record. Arguments: when
 * the read began (on Redis' clock; 0 for a change that was just made), the greatest age of a read, the lifetime of the
 * entry, its `rev`, then its fields and values. An entry lives longer than a read may be old, so that an old state never
 * replaces a newer one, not even when the reader was paused in between.
 */
const putRecord = `
local now = clock()
local began = tonumber(ARGV[1])
if began > 0 and now - began > tonumber(ARGV[2]) then return 0 end
local rev = tonumber(redis.call('HGET', KEYS[1], 'rev'))
if rev and rev > tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'rev', ARGV[4], 'at', now, unpack(ARGV, 5))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`;

/** The scripts. Tests pass another clock. */
export function admissionScripts(clock: string = redisClock) {
  return {
    admitKey: defineScript(clock + windows + charge + admitKey),
    admitSession: defineScript(clock + windows + charge + admitSession),
    admitNamed: defineScript(clock + windows + admitNamed),
    putRecord: defineScript(clock + putRecord),
    refund: defineScript(refund),
    usedToday: defineScript(clock + windows + usedToday),
  };
}

export type AdmissionScripts = ReturnType<typeof admissionScripts>;
