import { defineScript } from '@sigcast/redis';

/** Unix milliseconds on Redis' own clock, which is the same for all gateways. */
const redisClock = `
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
`;

/**
 * Each script gets every key it touches by name, with one hash tag, so it runs on Redis Cluster too. A window is one
 * hash under a fixed name rather than one key per minute: the minute is known only inside the script, from Redis' own
 * clock, and Cluster does not let a script make up key names. `c` is the cell's number, `n` its count, `p` the count
 * of the cell before; of an account, `d` is the day's number and `u` what was used on it.
 */
const windows = `
-- The same rule as slide() and slidingRemaining() in domain/sliding-window.ts.
local function slide(stored, now, window)
  local cell = math.floor(now / window)
  local at = tonumber(stored[1])
  if at == cell or at == cell + 1 then return at, tonumber(stored[2]), tonumber(stored[3]) end
  if at == cell - 1 then return cell, 0, tonumber(stored[2]) end
  return cell, 0, 0
end

local function fits(now, window, cell, current, previous, limit)
  local covered = window - math.max(0, now - cell * window)
  return (current + 1) * window + previous * covered <= limit * window
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

/** Checks both windows of an account and charges both or neither. */
const charge = `
local function charge(now, window, name, perMinute, perDay, refresh)
  local counts = redis.call('HMGET', name, 'c', 'n', 'p', 'd', 'u')
  local cell, current, previous = slide(counts, now, window)
  local today = math.floor(now / 86400000)
  local used = tonumber(counts[4]) == today and tonumber(counts[5]) or 0
  if used >= perDay or not fits(now, window, cell, current, previous, perMinute) then
    return {${verdicts.limited}, now, cell, current, previous, used, perMinute, perDay, refresh}
  end
  current = current + 1
  used = used + 1
  redis.call('HSET', name, 'c', cell, 'n', current, 'p', previous, 'd', today, 'u', used)
  -- Kept to the end of tomorrow: longer than either window needs it.
  if used == 1 then redis.call('PEXPIRE', name, (today + 2) * 86400000 - now) end
  return {${verdicts.admitted}, now, cell, current, previous, used, perMinute, perDay, refresh}
end
`;

/**
 * Keys: key record, account record, the account's counts. Arguments: window in milliseconds, age in milliseconds
 * above which a copy is to be refreshed. Returns `[verdict, now, cell, current, previous, usedToday, perMinute,
 * perDay, refresh]`; only one caller is told to refresh a copy at a time.
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

return charge(now, window, KEYS[3], tonumber(account[2]), tonumber(account[3]), refresh)
`;

/**
 * For an account whose limits the caller knows. Key: its counts. Arguments: window in milliseconds, both limits.
 * Returns what `admitKey` returns.
 */
const admitAccount = `
return charge(clock(), tonumber(ARGV[1]), KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), 0)
`;

/** Key: an address' minute window. Arguments: window in milliseconds, limit. Returns `[admitted, now, cell, current, previous]`. */
const admitAddress = `
local now = clock()
local window = tonumber(ARGV[1])
local counts = redis.call('HMGET', KEYS[1], 'c', 'n', 'p')
local cell, current, previous = slide(counts, now, window)
if not fits(now, window, cell, current, previous, tonumber(ARGV[2])) then
  return {0, now, cell, current, previous}
end
redis.call('HSET', KEYS[1], 'c', cell, 'n', current + 1, 'p', previous)
if current == 0 then redis.call('PEXPIRE', KEYS[1], 2 * window) end
return {1, now, cell, current + 1, previous}
`;

/** Key: a window. Takes back what was charged to it last, be it in the current cell. */
const giveBack = `
if tonumber(redis.call('HGET', KEYS[1], 'n') or 0) > 0 then redis.call('HINCRBY', KEYS[1], 'n', -1) end
return 0
`;

/** Key: an account's counts. Returns how many requests were admitted today. */
const usedToday = `
local day = redis.call('HMGET', KEYS[1], 'd', 'u')
return tonumber(day[1]) == math.floor(clock() / 86400000) and tonumber(day[2]) or 0
`;

/**
 * Writes a copy of a record unless a newer one is there (`rev`), or the one at hand was read too long ago.
 * Key: the record. Arguments: when its reading began (on Redis' clock; 0 for a change that was just made), how long
 * ago that may be, how long the copy lives, its `rev`, then its fields and values. A copy outlives any reading it has
 * to stand against, so an old state never takes a newer one's place: not even when the reader was stopped in between.
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

/** The scripts, ready to run. Tests give another clock, which they move. */
export function admissionScripts(clock: string = redisClock) {
  return {
    admitKey: defineScript(clock + windows + charge + admitKey),
    admitAccount: defineScript(clock + windows + charge + admitAccount),
    admitAddress: defineScript(clock + windows + admitAddress),
    putRecord: defineScript(clock + putRecord),
    giveBack: defineScript(giveBack),
    usedToday: defineScript(clock + usedToday),
  };
}

export type AdmissionScripts = ReturnType<typeof admissionScripts>;
