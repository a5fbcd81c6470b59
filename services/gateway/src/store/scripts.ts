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
 * and `me` for the minute, `d` and `de` for the day. Any other subject has `m` and `me` only. The hash of an account's keys
 * also has the account's `stamp`, which every change of the account or its keys removes.
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
export const verdicts = { admitted: 0, limited: 1, stale: 2 } as const;

/** How long a stamp lives of an account of which nothing is counted: a made-up key may name any account. */
const stampTtlMs = 60_000;

/**
 * Counts a request in both windows of an account and, with `own`, in that of a key with a limit of its own, or in none when one
 * is full. It counts as `cost` requests, or as many as a window has left: whoever has any request left is admitted. The same
 * rule as charge() in domain/usage.ts.
 */
const charge = `
local function charge(now, window, name, perMinute, perDay, cost, own, ownLimit)
  local stored = redis.call('HMGET', name, 'm', 'me', 'd', 'de')
  local midnight = midnightAfter(now)
  local minute, minuteEnds = countNow(stored[1], stored[2], now, now + window)
  local day, dayEnds = countNow(stored[3], stored[4], now, midnight)
  local ownUsed, ownEnds -- Redis ends the answer at its first nil.
  if own then
    local kept = redis.call('HMGET', own, 'm', 'me')
    ownUsed, ownEnds = countNow(kept[1], kept[2], now, now + window)
  end
  local verdict = ${verdicts.limited}
  if minute < perMinute and day < perDay and (not own or ownUsed < ownLimit) then
    verdict = ${verdicts.admitted}
    local first = day == 0
    minute = math.min(minute + cost, perMinute)
    day = math.min(day + cost, perDay)
    redis.call('HSET', name, 'm', minute, 'me', minuteEnds, 'd', day, 'de', dayEnds)
    -- An hour more, so that an account in use keeps its minute and its stamp at midnight.
    if first then redis.call('PEXPIRE', name, midnight + 3600000 - now) end
    if own then
      local begins = ownUsed == 0
      ownUsed = math.min(ownUsed + cost, ownLimit)
      redis.call('HSET', own, 'm', ownUsed, 'me', ownEnds)
      if begins then redis.call('PEXPIRE', own, window) end
    end
  end
  return {verdict, now, minute, minuteEnds, day, dayEnds, ownUsed, ownEnds}
end
`;

/**
 * Keys: the windows of an account's keys, and that of a key with a limit of its own, if it has one. Arguments: window in
 * milliseconds, limit a minute, limit a day, cost, the key's own limit, the stamp that the caller knows. Returns `[verdict, now,
 * used this minute, its end, used today, its end, used by the key, its end]`, the last two only for a key with a limit of its
 * own, or `[stale, the account's stamp]` where the caller knows another one. An account without a stamp gets a new one, which no account had before.
 */
const admitKey = `
local stamp = redis.call('HGET', KEYS[1], 'stamp')
if not stamp then
  local t = redis.call('TIME')
  stamp = t[1] .. '.' .. t[2]
  redis.call('HSET', KEYS[1], 'stamp', stamp)
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ${stampTtlMs}) end
end
if stamp ~= ARGV[6] then return {${verdicts.stale}, stamp} end
return charge(
  clock(), tonumber(ARGV[1]), KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), KEYS[2], tonumber(ARGV[5])
)
`;

/**
 * Key: the windows of an account's sessions. Arguments: window in milliseconds, limit a minute, limit a day, cost. Returns
 * what `admitKey` returns.
 */
const admitSession = `
return charge(clock(), tonumber(ARGV[1]), KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]))
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

/** The scripts. Tests pass another clock. */
export function admissionScripts(clock: string = redisClock) {
  return {
    admitKey: defineScript(clock + windows + charge + admitKey),
    admitSession: defineScript(clock + windows + charge + admitSession),
    admitNamed: defineScript(clock + windows + admitNamed),
    refund: defineScript(refund),
    usedToday: defineScript(clock + windows + usedToday),
  };
}

export type AdmissionScripts = ReturnType<typeof admissionScripts>;
