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

const store = mongoSettings('sigcast_signals');

const broker = { ...brokerShape, BROKER_NAMESPACE: settings.name('') };

/** The service's settings, checked. @throws {ConfigError} naming every setting that is wrong. */
export function signalsConfig(env: Environment) {
  return readConfig(
    {
      HOST: settings.host,
      PORT: settings.port(8081),
      LOG_LEVEL: settings.logLevel,
      ...accessLogSettings(),
      ...tracingSettings,
      ...shutdownSettings,
      ...metricsShape,
      ...store,
      ...broker,
      GATEWAY_PUBLIC_KEYS: settings.pem,
      OPERATOR_PUBLIC_KEYS: settings.pem,
    },
    env,
  );
}

/** Where the data is; for operator commands. @throws {ConfigError} naming every setting that is wrong. */
export function readStoreConfig(env: Environment) {
  return readConfig(store, env);
}

/** Where the data and the broker are; for operator commands about queues. @throws {ConfigError} naming every setting that is wrong. */
export function readQueuesConfig(env: Environment) {
  return readConfig({ ...store, ...broker }, env);
}
