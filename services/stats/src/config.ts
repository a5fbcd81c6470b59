import { type Environment, readConfig, settings } from '@sigcast/runtime';

export type StatsConfig = ReturnType<typeof statsConfig>;

/** The service's settings, checked. @throws {ConfigError} naming every setting that is wrong. */
export function statsConfig(env: Environment) {
  return readConfig(
    {
      HOST: settings.host,
      PORT: settings.port(8082),
      LOG_LEVEL: settings.logLevel,
      MONGODB_URI: settings.url('mongodb:', 'mongodb+srv:'),
      MONGODB_DATABASE: settings.name('sigcast_stats'),
      AMQP_URL: settings.url('amqp:', 'amqps:'),
      BROKER_NAMESPACE: settings.name(''),
      GATEWAY_PUBLIC_KEYS: settings.pem,
    },
    env,
  );
}
