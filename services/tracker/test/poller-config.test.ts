import { defaultThresholds } from '@sigcast/outcomes';
import { expect, it } from 'vitest';
import { nextDue, parseSchedule } from '../src/domain/schedule.ts';
import { readPollerConfig, readRules } from '../src/poller-config.ts';

const env = {
  MONGODB_URI: 'mongodb://store',
  REDIS_URL: 'redis://redis',
  SIGNALS_URL: 'http://signals:8081/',
  SIGNALS_TOKEN: 'token',
  MARKET_URL: 'https://market.test',
};

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

it('the poller needs a store, Redis, the signals service and a market, and has defaults for the rest', () => {
  expect(readPollerConfig(env)).toMatchObject({
    PORT: 8086,
    MONGODB_DATABASE: 'sigcast_tracker',
    SIGNALS_URL: 'http://signals:8081',
    MARKET_REQUESTS_PER_MINUTE: 300,
    TRACKER_SCHEDULE: '1h:1m,1d:5m,30d:1h',
    TRACKER_LEASE_MS: 60_000,
  });
  expect(() => readPollerConfig({})).toThrow(
    /MONGODB_URI.*REDIS_URL.*SIGNALS_URL.*SIGNALS_TOKEN.*MARKET_URL/s,
  );
});

it.each([
  ['MARKET_URL', 'market.test', 'must be an address that begins with http:// or https://'],
  ['MARKET_URL', 'https://market.test/?key=1', 'must be an address without a user, a query or a fragment'],
  ['SIGNALS_TOKEN', 'two words', 'must be a service token'],
  ['MARKET_REQUESTS_PER_MINUTE', 'many', 'must be a whole number from 1 to 60000'],
  ['TRACKER_SCHEDULE', '1h', 'must be stages such as 1h:1m,1d:5m,30d:1h'],
  ['TRACKER_SCHEDULE', '1d:5m,1h:1m', 'must have its stages in order of age'],
  ['TRACKER_RULES', '{', 'must be JSON'],
  [
    'TRACKER_RULES',
    '{"winner":{"multiple":"two"}}',
    'The thresholds of the rules are wrong: winner.multiple',
  ],
  ['TRACKER_LEASE_MS', '1m', 'must be a whole number from 100 to 600000'],
])('a wrong setting of the poller is refused with what would be right: %s=%s', (name, value, message) => {
  expect(() => readPollerConfig({ ...env, [name]: value })).toThrow(`${name}: ${message}`);
});

it('thresholds of the rules that are not set have their defaults', () => {
  const config = readPollerConfig({ ...env, TRACKER_RULES: '{"winner":{"multiple":3}}' });
  const { winner } = defaultThresholds;
  expect(readRules(config)).toEqual({ ...defaultThresholds, winner: { ...winner, multiple: 3 } });
  expect(readRules(readPollerConfig(env))).toEqual(defaultThresholds);
});

it('a schedule says by the age of a signal when its market is asked next, and when no more', () => {
  const schedule = parseSchedule('1h:1m,1d:5m,30d:1h');
  const next = (ageMs: number) => {
    const dueMs = nextDue(schedule, 1_000, 1_000 + ageMs);
    return dueMs === undefined ? 'never' : dueMs - 1_000 - ageMs;
  };
  expect(next(0)).toBe(minute);
  expect(next(hour - 1)).toBe(minute);
  expect(next(hour)).toBe(5 * minute);
  expect(next(day)).toBe(hour);
  expect(next(30 * day - 2 * hour)).toBe(hour);
  // By then it is past the last age.
  expect(next(30 * day - hour)).toBe('never');
  expect(next(31 * day)).toBe('never');
});
