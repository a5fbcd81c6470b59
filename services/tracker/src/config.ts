import { mongoSettings } from '@sigcast/mongo';
import {
  brokerShape,
  type Environment,
  metricsShape,
  readConfig,
  settings,
  shutdownSettings,
} from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';
import { z } from 'zod';

const broker = { ...brokerShape, BROKER_NAMESPACE: settings.name('') };

/** Where the history is: the settings that both processes and their operator commands share. */
export const storeSettings = mongoSettings('sigcast_tracker');

/** The settings of the process `tracker`, checked. @throws {ConfigError} naming every setting that is wrong. */
export function readTrackerConfig(env: Environment) {
  return readConfig(
    {
      HOST: settings.host,
      PORT: settings.port(8085),
      LOG_LEVEL: settings.logLevel,
      ...accessLogSettings(),
      ...tracingSettings,
      ...shutdownSettings,
      ...storeSettings,
      ...broker,
      ...metricsShape,
      GATEWAY_PUBLIC_KEYS: settings.pem,
    },
    env,
  );
}

/** The settings of the command `backfill`, checked. @throws {ConfigError} naming every setting that is wrong. */
export function readBackfillConfig(env: Environment) {
  return readConfig(
    {
      ...storeSettings,
      SIGNALS_URL: settings.url('http:', 'https:'),
      /** An operator's token with the scope `signals:read`. */
      SIGNALS_TOKEN: z.string().min(1),
    },
    env,
  );
}

/** Where the data is, for making its indexes. @throws {ConfigError} naming every setting that is wrong. */
export function readStoreConfig(env: Environment) {
  return readConfig(storeSettings, env);
}

/** Where the broker is; for operator commands. @throws {ConfigError} naming every setting that is wrong. */
export function readBrokerConfig(env: Environment) {
  return readConfig(broker, env);
}
