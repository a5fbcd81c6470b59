import { defaultThresholds, readThresholds, type Thresholds } from '@sigcast/outcomes';
import { redisSettings } from '@sigcast/redis';
import { parseJson, probesPort, reads, serverSettings, settings, signalsAccess } from '@sigcast/runtime';
import { tracingSettings } from '@sigcast/telemetry';
import { storeSettings } from './config.ts';
import { parseSchedule } from './domain/schedule.ts';

/** The settings of the poller's process. */
export const readPollerConfig = reads({
  ...serverSettings(8086, { PORT: probesPort }),
  ...tracingSettings,
  ...storeSettings,
  ...redisSettings,
  ...signalsAccess('signals:decide'),
  MARKET_URL: settings.baseUrl.describe("Address of the market that is asked, in DexScreener's format."),
  MARKET_REQUESTS_PER_MINUTE: settings
    .integer(300, 1, 60_000)
    .describe(
      'Requests to the market in a minute, over all processes that share a Redis, the scanners included.',
    ),
  MARKET_GECKOTERMINAL_URL: settings.baseUrl
    .optional()
    .describe(
      "Address of a second source, in GeckoTerminal's format, for when the market is away or its figures jump; without it the market alone counts.",
    ),
  MARKET_GECKOTERMINAL_PER_MINUTE: settings
    .integer(30, 1, 60_000)
    .describe('Requests to it in a minute, over all processes that share a Redis, the scanners included.'),
  MARKET_GECKOTERMINAL_KEY: settings.header
    .optional()
    .describe('A header with a key that goes with each request to it, as `name: value`.'),
  MARKET_JUMP_FACTOR: settings
    .integer(3, 2, 1_000)
    .describe(
      'By how much a market cap or a liquidity may differ from the last one, as a factor, without the second source being asked.',
    ),
  TRACKER_HOLDERS_PER_MINUTE: settings
    .integer(10, 1, 60_000)
    .describe('Of the requests to the second source, so many a minute are for holders, over all pollers.'),
  TRACKER_HOLDERS_SCHEDULE: settings
    .checked(parseSchedule)
    .default('1d:1h,30d:1d')
    .describe('How often the second source is asked about holders, by the age of a signal.'),
  TRACKER_SCHEDULE: settings
    .checked(parseSchedule)
    .default('1h:1m,1d:5m,30d:1h')
    .describe(
      'How often signals are asked about: ages and intervals, such as `1h:1m` for each minute in the first hour.',
    ),
  // What is absent has its default.
  TRACKER_RULES: settings
    .checked(thresholdsFrom)
    .optional()
    .describe(
      'Thresholds of the rules that decide outcomes, as JSON; services/tracker/README.md has the defaults.',
    ),
  TRACKER_LEASE_MS: settings
    .integer(60_000, 100, 600_000)
    .describe('Milliseconds that a poller has for the signals it took; then another one takes them.'),
});

/** The rules' thresholds, as the settings say. */
export function readRules({ TRACKER_RULES: text }: ReturnType<typeof readPollerConfig>): Thresholds {
  return text === undefined ? defaultThresholds : thresholdsFrom(text);
}

/** Thresholds from JSON such as `{"winner":{"multiple":3}}`. @throws {Error} that says what is wrong. */
function thresholdsFrom(text: string): Thresholds {
  const given = parseJson(text);
  if (given === undefined) throw new Error('must be JSON');
  if (!isObject(given)) return readThresholds(given);
  const rules = Object.entries(given).map(([rule, part]: [string, unknown]): [string, unknown] => {
    const defaults = Object.entries(defaultThresholds).find(([name]) => name === rule)?.[1];
    return [rule, isObject(part) && isObject(defaults) ? { ...defaults, ...part } : part];
  });
  return readThresholds({ ...defaultThresholds, ...Object.fromEntries(rules) });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
