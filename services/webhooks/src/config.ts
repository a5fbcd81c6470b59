import { mongoSettings } from '@sigcast/mongo';
import {
  brokerSettings,
  gatewayKeys,
  probesPort,
  reads,
  sealKeys,
  serverSettings,
  settings,
} from '@sigcast/runtime';
import { accessLogSettings, tracingSettings } from '@sigcast/telemetry';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { addressPolicy } from './sending/address-policy.ts';

const networks = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .refine(
    (list) => list.every((network) => ipaddr.isValidCIDR(network)),
    'must be networks such as 127.0.0.0/8',
  );

/** Ports and ranges of ports, each from its first to its last. */
const portRanges = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .refine(
    (list) => list.every((part) => /^\d{1,5}(-\d{1,5})?$/.test(part)),
    'must be ports such as 9443 or 9000-9099, separated by commas',
  )
  .transform((list) =>
    list.map((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return { first, last };
    }),
  )
  .refine(
    (list) => list.every(({ first, last }) => 1 <= first && first <= last && last <= 65_535),
    'must be ports from 1 to 65535, the first of a range before its last',
  );

const delays = z
  .string()
  .default('10000,60000,600000')
  .transform((text) => text.split(',').map(Number))
  .refine(
    (list) => list.every((ms) => Number.isInteger(ms) && ms >= 1 && ms <= 86_400_000),
    'must be whole milliseconds from 1 to 86400000, separated by commas',
  );

const store = mongoSettings('sigcast_webhooks');

/** What opens the secrets in the store. */
const sealing = {
  WEBHOOK_SEAL_KEYS: sealKeys.describe(
    'Keys that seal secrets in the store, a line `version:key` for each, the key 32 bytes in base64. The newest seals, all open.',
  ),
};

/** What decides which addresses subscriptions may have. */
const addresses = {
  WEBHOOK_ALLOW_HTTP: settings.flag.describe(
    'For development: subscriptions may use `http`, and the ports 80 and 8080.',
  ),
  WEBHOOK_ALLOWED_NETWORKS: networks.describe(
    'For development: networks in CIDR form, separated by commas, that deliveries may reach although they are not public.',
  ),
  WEBHOOK_PORTS: portRanges.describe(
    'Ports that subscriptions may use besides 443 and 8443, such as `9443` or `9000-9099`, separated by commas.',
  ),
  WEBHOOK_OWN_PORTS: portRanges.describe(
    'For development: ports of Sigcast’s own processes and stores, which no subscription may use in WEBHOOK_ALLOWED_NETWORKS.',
  ),
};

/** What chats need besides addresses. */
const chats = {
  WEBHOOK_CHATS_URL: settings.baseUrl
    .optional()
    .describe(
      'For development: address of a stand-in for Slack, Discord and Telegram, which gets their host name before the path. It has to be in WEBHOOK_ALLOWED_NETWORKS.',
    ),
  PUBLIC_URL: settings.baseUrl
    .optional()
    .describe('Address at which people reach the gateway; messages in chats link to the signal there.'),
};

/** The address policy of both processes. */
export function addressPolicyOf(config: ReturnType<typeof readApiConfig | typeof readWorkerConfig>) {
  return addressPolicy({
    allowHttp: config.WEBHOOK_ALLOW_HTTP,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ports: config.WEBHOOK_PORTS,
    ownPorts: config.WEBHOOK_OWN_PORTS,
  });
}

/** The settings of the api process. */
export const readApiConfig = reads({
  ...serverSettings(8083),
  ...accessLogSettings(),
  ...tracingSettings,
  ...store,
  ...addresses,
  ...sealing,
  ...gatewayKeys,
  // The gateway ends a stream after 30 s of silence.
  STREAM_HEARTBEAT_MS: settings
    .integer(15_000, 100, 20_000)
    .describe('Milliseconds of silence after which a stream sends a comment, to show that it is connected.'),
  STREAM_MAX_LIFE_MS: settings
    .integer(900_000, 1_000, 86_400_000)
    .describe('Milliseconds after which a stream is closed; its client reconnects and resumes.'),
});

/** The settings of the worker process. */
export const readWorkerConfig = reads({
  ...serverSettings(8084, { PORT: probesPort }),
  ...tracingSettings,
  ...store,
  ...addresses,
  ...sealing,
  ...chats,
  ...brokerSettings,
  WEBHOOK_RETRY_DELAYS_MS: delays.describe(
    'Milliseconds before each retry, separated by commas (each varied by ±15 %); their number is the number of retries.',
  ),
  // The endpoint's answers decide how many of them it gets.
  WEBHOOK_MAX_IN_FLIGHT: settings
    .integer(50, 1, 1_000)
    .describe(
      'The most attempts under way at once at one subscription, over all workers but for a moment while it changes its worker.',
    ),
  WEBHOOK_MAX_IN_FLIGHT_PER_HOST: settings
    .integer(500, 1, 50_000)
    .describe(
      'The most attempts under way at once at one host in one worker, over all accounts; at most 20 of them to addresses that have yet to answer 200.',
    ),
  WEBHOOK_MAX_IN_FLIGHT_PER_WORKER: settings
    .integer(4_000, 1, 50_000)
    .describe(
      'The most attempts under way at once in one worker; bounds its memory, as each takes about 20 kB.',
    ),
});

/** The settings of the store, for operator commands. */
export const readStoreConfig = reads(store);

/** The settings of the operator command `secrets`. */
export const readSecretsConfig = reads({ ...store, ...sealing });

/** The settings of the broker, for operator commands. */
export const readBrokerConfig = reads(brokerSettings);
