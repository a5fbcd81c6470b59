import type { SettingsReader } from '@sigcast/runtime';
import * as gateway from '../../../services/gateway/src/config.ts';
import * as scanner from '../../../services/scanner/src/config.ts';
import * as signals from '../../../services/signals/src/config.ts';
import * as stats from '../../../services/stats/src/config.ts';
import * as tracker from '../../../services/tracker/src/config.ts';
import { readPollerConfig } from '../../../services/tracker/src/poller-config.ts';
import * as webhooks from '../../../services/webhooks/src/config.ts';

/** A program and the function with which it reads its settings. */
export type Program = {
  readonly name: string;
  /** What it is, for the documentation. */
  readonly about: string;
  readonly read: SettingsReader;
};

/** The services' processes, under the names that deployments give them. */
const services = [
  {
    name: 'gateway',
    about: 'Public API: keys, limits, dashboard.',
    read: gateway.readGatewayConfig,
  },
  { name: 'signals', about: 'Accepts and lists signals.', read: signals.signalsConfig },
  { name: 'stats', about: 'Statistics over the signals.', read: stats.statsConfig },
  {
    name: 'webhooks-api',
    about: 'Subscriptions, delivery log, event stream.',
    read: webhooks.readApiConfig,
  },
  {
    name: 'webhooks-worker',
    about: 'Turns events into deliveries and delivers them.',
    read: webhooks.readWorkerConfig,
  },
  {
    name: 'tracker',
    about: 'Keeps the history of signals, and which signals are tracked.',
    read: tracker.readTrackerConfig,
  },
  {
    name: 'tracker-poller',
    about: 'Asks the market about the tracked signals, and decides outcomes.',
    read: readPollerConfig,
  },
  {
    name: 'scanner',
    about: 'Makes signals of what market sources list, by published rules.',
    read: scanner.readScannerConfig,
  },
] as const satisfies readonly Program[];

/** Operator commands read only what they need, so that no command needs a secret it does not use. */
const commands = [
  {
    name: 'gateway operator: account, plan, key',
    about: '`node services/gateway/src/operator.ts`.',
    read: gateway.readStoreConfig,
  },
  {
    name: 'gateway operator: request',
    about: 'Besides the settings of the store.',
    read: gateway.readLogConfig,
  },
  { name: 'gateway operator: token', about: 'Needs no store.', read: gateway.readSigningConfig },
  {
    name: 'stats operator: rebuild, verify',
    about: '`node services/stats/src/operator.ts`.',
    read: stats.operatorConfig,
  },
  {
    name: 'stats operator: parked',
    about: '`node services/stats/src/operator.ts`.',
    read: stats.readBrokerConfig,
  },
  {
    name: 'signals operator: queues',
    about: '`node services/signals/src/operator.ts`.',
    read: signals.readQueuesConfig,
  },
  {
    name: 'webhooks operator: deliveries, requeue',
    about: '`node services/webhooks/src/operator.ts`.',
    read: webhooks.readStoreConfig,
  },
  {
    name: 'webhooks operator: secrets',
    about: '`node services/webhooks/src/operator.ts`.',
    read: webhooks.readSecretsConfig,
  },
  {
    name: 'webhooks operator: parked',
    about: '`node services/webhooks/src/operator.ts`.',
    read: webhooks.readBrokerConfig,
  },
  {
    name: 'tracker operator: backfill',
    about: '`node services/tracker/src/operator.ts`.',
    read: tracker.readBackfillConfig,
  },
  {
    name: 'tracker operator: parked',
    about: '`node services/tracker/src/operator.ts`.',
    read: tracker.readBrokerConfig,
  },
  {
    name: 'scanner operator: record',
    about: '`node services/scanner/src/operator.ts`.',
    read: scanner.readRecordConfig,
  },
  {
    name: 'every operator: indexes, migrate',
    about: 'Each uses the database of its own service; the defaults below are those of signals.',
    read: signals.readStoreConfig,
  },
] as const satisfies readonly Program[];

/** Every program that has settings. */
export const programs = { services, commands };
