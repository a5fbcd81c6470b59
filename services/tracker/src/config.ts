import { mongoSettings } from '@sigcast/mongo';
import {
  brokerSettings,
  ConfigError,
  type Environment,
  gatewayKeys,
  reads,
  serverSettings,
  settings,
  signalsAccess,
} from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';
import { isKeyName, readPolicy } from '@sigcast/tlog';
import { z } from 'zod';

/** Where the history is: the settings that both processes and their operator commands share. */
export const storeSettings = mongoSettings('sigcast_tracker');

const logSettings = {
  LOG_ORIGIN: z
    .string()
    .refine(isKeyName, 'must be a name without a space and a plus sign, such as api.example.com/log')
    .optional()
    .describe(
      'Name of the public log of signals and outcomes: the address of the gateway without its scheme, and `/log`. Never changed. Without it, there is no log.',
    ),
  LOG_PRIVATE_KEYS: settings.pem
    .optional()
    .describe(
      'Ed25519 key that signs the log; while a key is replaced, the old and the new one, one PEM block after the other.',
    ),
  LOG_POLICY: z
    .string()
    .transform((text, context) => {
      try {
        return readPolicy(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    })
    .optional()
    .describe(
      'Policy (C2SP tlog-policy) whose witnesses cosign the log: those with an address are asked for each checkpoint. Verifiers may use the same file.',
    ),
};

const readSettings = reads({
  ...serverSettings(8085),
  ...accessLogSettings(),
  ...tracingSettings,
  ...storeSettings,
  ...brokerSettings,
  ...gatewayKeys,
  ...logSettings,
});

/** The settings of the process `tracker`. */
export const readTrackerConfig = Object.assign((env: Environment) => {
  const config = readSettings(env);
  const { LOG_ORIGIN: origin, LOG_PRIVATE_KEYS: keys } = config;
  if ((origin === undefined) !== (keys === undefined)) {
    throw new ConfigError(
      'These settings are wrong:\n  LOG_ORIGIN and LOG_PRIVATE_KEYS: are given both, or neither',
    );
  }
  return config;
}, readSettings);

/** The settings of the command `backfill`. */
export const readBackfillConfig = reads({ ...storeSettings, ...signalsAccess('signals:read') });

/** Where the data is, for making its indexes. */
export const readStoreConfig = reads(storeSettings);

/** Where the broker is; for operator commands. */
export const readBrokerConfig = reads(brokerSettings);
