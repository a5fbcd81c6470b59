import { createPrivateKey, type KeyObject } from 'node:crypto';
import { mongoSettings } from '@sigcast/mongo';
import {
  brokerSettings,
  ConfigError,
  type Environment,
  gatewayKeys,
  reads,
  serverSettings,
  signalsAccess,
} from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';
import { type Checkpoint, checkpointOf, isKeyName, readPolicy } from '@sigcast/tlog';
import { z } from 'zod';

/** Where the history is: the settings that both processes and their operator commands share. */
export const storeSettings = mongoSettings('sigcast_tracker');

/** One private key in PEM (RFC 7468). */
const keyBlock = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/g;

/** The Ed25519 keys of a text that has nothing but such keys. @throws {TypeError} for any other text. */
function ed25519Keys(pem: string): readonly KeyObject[] {
  const wrong = new TypeError('must be Ed25519 private keys in PEM form, and nothing else');
  let keys: KeyObject[];
  try {
    keys = (pem.match(keyBlock) ?? []).map((block) => createPrivateKey(block));
  } catch {
    throw wrong;
  }
  const isAll = keys.length > 0 && pem.replaceAll(keyBlock, '').trim() === '';
  if (!isAll || keys.some((key) => key.asymmetricKeyType !== 'ed25519')) throw wrong;
  return keys;
}

/** @throws {TypeError} for a text that is no checkpoint. */
function publishedCheckpoint(note: string): Checkpoint {
  const checkpoint = checkpointOf(`${note.trim()}\n`);
  if (checkpoint !== undefined) return checkpoint;
  throw new TypeError('must be a checkpoint of the log, as /log/checkpoint gives it');
}

/** A setting that is used in another form. What `read` throws says what is wrong with it. */
function readBy<T>(read: (text: string) => T) {
  return z.string().transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });
}

const logSettings = {
  LOG_ORIGIN: z
    .string()
    .refine(isKeyName, 'must be a name without a space and a plus sign, such as api.example.com/log')
    .optional()
    .describe(
      'Name of the public log of signals and outcomes: the address of the gateway without its scheme, and `/log`. Never changed. Without it, there is no log.',
    ),
  LOG_PRIVATE_KEYS: readBy(ed25519Keys)
    .optional()
    .describe(
      'Ed25519 key that signs the log; while a key is replaced, the old and the new one, one PEM block after the other.',
    ),
  LOG_POLICY: readBy(readPolicy)
    .optional()
    .describe(
      'Policy (C2SP tlog-policy) whose witnesses cosign the log: those with an address are asked for each checkpoint. Verifiers may use the same file.',
    ),
  LOG_CHECKPOINT: readBy(publishedCheckpoint)
    .optional()
    .describe(
      'A published checkpoint of the log: nothing is signed that does not continue it. Best the newest one that is known, from the file `checkpoint` of a copy that `log export` keeps outside of MongoDB.',
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
  const {
    LOG_ORIGIN: origin,
    LOG_PRIVATE_KEYS: keys,
    LOG_CHECKPOINT: checkpoint,
    LOG_POLICY: policy,
  } = config;
  if ((origin === undefined) !== (keys === undefined)) {
    throw new ConfigError(
      'These settings are wrong:\n  LOG_ORIGIN and LOG_PRIVATE_KEYS: are given both, or neither',
    );
  }
  if (checkpoint !== undefined && checkpoint.origin !== origin)
    throw new ConfigError('These settings are wrong:\n  LOG_CHECKPOINT: is not of the log LOG_ORIGIN');
  if (policy?.logs.some(({ name }) => name !== origin))
    throw new ConfigError('These settings are wrong:\n  LOG_POLICY: names another log than LOG_ORIGIN');
  return config;
}, readSettings);

/** The settings of the command `backfill`. */
export const readBackfillConfig = reads({ ...storeSettings, ...signalsAccess('signals:read') });

/** Where the data is, for making its indexes. */
export const readStoreConfig = reads(storeSettings);

/** Where the broker is; for operator commands. */
export const readBrokerConfig = reads(brokerSettings);
