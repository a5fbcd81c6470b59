import { redisSettings } from '@sigcast/redis';
import {
  type Environment,
  metricsShape,
  parseJson,
  readConfig,
  settings,
  shutdownSettings,
} from '@sigcast/runtime';
import { tracingSettings } from '@sigcast/telemetry';
import { z } from 'zod';
import { storeSettings } from './config.ts';
import { defaultThresholds, readThresholds, type Thresholds } from './domain/rules/v1.ts';
import { parseSchedule } from './domain/schedule.ts';

/** The characters that a header can carry. `readConfig` cuts off a line break at the end of a file. */
const token = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be a service token: `gateway operator token create` makes one');

/** The settings of the poller's process. @throws {ConfigError} that names every wrong setting. */
export function readPollerConfig(env: Environment) {
  return readConfig(
    {
      HOST: settings.host,
      PORT: settings.port(8086),
      LOG_LEVEL: settings.logLevel,
      ...tracingSettings,
      ...shutdownSettings,
      ...metricsShape,
      ...storeSettings,
      ...redisSettings,
      /** The signals service, and a token for it with the scope signals:decide. */
      SIGNALS_URL: settings.baseUrl,
      SIGNALS_TOKEN: token,
      /** The market's source, which answers in DexScreener's format. */
      MARKET_URL: settings.baseUrl,
      /** Over all pollers that share a Redis. */
      MARKET_REQUESTS_PER_MINUTE: settings.integer(300, 1, 60_000),
      /** Ages and intervals, see `parseSchedule`. */
      TRACKER_SCHEDULE: settings.checked(parseSchedule).default('1h:1m,1d:5m,30d:1h'),
      /**
       * The rules' thresholds as JSON; what is absent has its default. `TRACKER_RULES_FILE` names a file with them, as for
       * every setting.
       */
      TRACKER_RULES: settings.checked(thresholdsFrom).optional(),
      /** How long a poller has for the signals it took, in milliseconds; after that another one takes them. */
      TRACKER_LEASE_MS: settings.integer(60_000, 100, 600_000),
    },
    env,
  );
}

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
