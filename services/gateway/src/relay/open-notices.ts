import { accountEvent, accountTopology, unavailable } from '@sigcast/contracts';
import {
  accountDeclarations,
  accountMessage,
  type Broker,
  type BrokerAddresses,
  connectBroker,
} from '@sigcast/messaging';
import { keepPassingOn, type Logger, type Resources } from '@sigcast/runtime';
import type { Registry } from 'prom-client';
import type { AccountNotice, AccountNotices } from '../domain/account-notices.ts';

/** In milliseconds. Well below the second within which a suspension takes effect. */
const pauses = { firstMs: 200, maxMs: 400 };

export type NoticesDeps = {
  readonly notices: AccountNotices;
  readonly broker: BrokerAddresses;
  /** The prefix of the names of all exchanges and queues. */
  readonly namespace: string;
  /** Gets the metrics of the connection to the broker. */
  readonly registry: Registry;
  readonly log: Logger;
};

/** The running relay of account notices. */
export type OpenNotices = {
  /** How many notices the last search could not publish. */
  readonly waiting: () => number;
  /** A check for `/readyz`: rejects while the broker can't be used. */
  readonly checkBroker: () => Promise<void>;
};

/** Starts to publish account notices. Returns at once: without a broker the gateway serves, and notices wait. */
export function openNotices(
  { notices, broker: addresses, namespace, registry, log }: NoticesDeps,
  resources: Resources,
): OpenNotices {
  const topology = accountTopology(namespace);
  let broker: Broker | undefined;
  const connecting = connectBroker(
    { ...addresses, registry, name: 'gateway', declare: accountDeclarations(topology) },
    log,
    resources,
  );
  void connecting.then((connected) => {
    broker = connected;
  });
  const passOn = async (notice: AccountNotice) => {
    if (broker === undefined) throw unavailable('The message broker');
    const { accessRevokedAt, ...state } = notice;
    const event = accountEvent({ ...state, access_revoked_at: accessRevokedAt?.toISOString() ?? null });
    await broker.publish(accountMessage(topology.exchange, event));
    await notices.markPublished(notice);
  };
  const problem = 'notices of accounts wait';
  const relay = keepPassingOn({ problem, find: notices.waiting, passOn, pauses, log }, resources);
  return {
    waiting: () => relay.waiting,
    checkBroker: async () => {
      if (broker === undefined) throw new Error('not connected yet');
      await broker.checkUsable();
    },
  };
}
