import { accountEvent, accountTopology, unavailable } from '@sigcast/contracts';
import { accountDeclarations, accountMessage, type Broker, connectBroker } from '@sigcast/messaging';
import type { Logger, Resources } from '@sigcast/runtime';
import type { Registry } from 'prom-client';
import { type AccountNotices, startNoticeRelay } from './notice-relay.ts';

export type NoticeSettings = {
  readonly urls: readonly string[];
  readonly ca: string | undefined;
  /** In front of every broker object's name. */
  readonly namespace: string;
  /** Where the metrics of the broker's connections go. */
  readonly registry: Registry;
};

/** The notices on their way to other services. */
export type OpenNotices = {
  /** How many could not be told at the last look. */
  readonly waiting: () => number;
  /** For readiness: rejects while the broker can't be used. */
  readonly checkBroker: () => Promise<void>;
};

/** Tells other services of accounts. Returns at once: the gateway serves while there is no broker, and notices wait. */
export function openNotices(
  notices: AccountNotices,
  { urls, ca, namespace, registry }: NoticeSettings,
  log: Logger,
  resources: Resources,
): OpenNotices {
  const topology = accountTopology(namespace);
  let broker: Broker | undefined;
  const connecting = connectBroker(
    { urls, ca, registry, name: 'gateway', declare: accountDeclarations(topology) },
    log,
    resources,
  );
  void connecting.then((connected) => {
    broker = connected;
  });
  const relay = startNoticeRelay(
    {
      notices,
      publish: async ({ account, rev, status }) => {
        if (broker === undefined) throw unavailable('The message broker');
        await broker.publish(accountMessage(topology.exchange, accountEvent(account, rev, status)));
      },
      log,
    },
    resources,
  );
  return {
    waiting: () => relay.waiting,
    checkBroker: async () => {
      if (broker === undefined) throw new Error('not connected yet');
      await broker.checkUse();
    },
  };
}
