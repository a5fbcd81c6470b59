import { mongoSettings } from '@sigcast/mongo';
import { brokerSettings, gatewayKeys, reads, serverSettings, signalsAccess } from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';

/** Where the facts are: the settings that the service and its operator commands share. */
const store = mongoSettings('sigcast_stats');

/** The service's settings. */
export const statsConfig = reads({
  ...serverSettings(8082),
  ...accessLogSettings(),
  ...tracingSettings,
  ...store,
  ...brokerSettings,
  ...gatewayKeys,
});

/** The settings of the commands that compare with the signals service. */
export const operatorConfig = reads({ ...store, ...signalsAccess('signals:read') });

/** Where the data is, for making its indexes. */
export const readStoreConfig = reads(store);

/** Where the broker is; for operator commands. */
export const readBrokerConfig = reads(brokerSettings);
