import { mongoSettings } from '@sigcast/mongo';
import { brokerSettings, gatewayKeys, reads, serverSettings, settings } from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';

const store = mongoSettings('sigcast_signals');

/** The service's settings. */
export const signalsConfig = reads({
  ...serverSettings(8081),
  ...accessLogSettings(),
  ...tracingSettings,
  ...store,
  ...brokerSettings,
  ...gatewayKeys,
  OPERATOR_PUBLIC_KEYS: settings.pem.describe(
    'Public keys whose service tokens (producers, operator commands) are accepted, one PEM block after the other.',
  ),
});

/** Where the data is; for operator commands. */
export const readStoreConfig = reads(store);

/** Where the data and the broker are; for operator commands about queues. */
export const readQueuesConfig = reads({ ...store, ...brokerSettings });
