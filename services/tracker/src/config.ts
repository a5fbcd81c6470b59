import { mongoSettings } from '@sigcast/mongo';
import { brokerSettings, gatewayKeys, reads, serverSettings, signalsAccess } from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';

/** Where the history is: the settings that both processes and their operator commands share. */
export const storeSettings = mongoSettings('sigcast_tracker');

/** The settings of the process `tracker`. */
export const readTrackerConfig = reads({
  ...serverSettings(8085),
  ...accessLogSettings(),
  ...tracingSettings,
  ...storeSettings,
  ...brokerSettings,
  ...gatewayKeys,
});

/** The settings of the command `backfill`. */
export const readBackfillConfig = reads({ ...storeSettings, ...signalsAccess('signals:read') });

/** Where the data is, for making its indexes. */
export const readStoreConfig = reads(storeSettings);

/** Where the broker is; for operator commands. */
export const readBrokerConfig = reads(brokerSettings);
