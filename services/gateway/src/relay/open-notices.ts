import { accountEvent, accountTopology, unavailable, webhookTopology } from '@sigcast/contracts';
import {
  accountDeclarations,
  accountMessage,
  type Broker,
  type BrokerAddresses,
  connectBroker,
} from '@sigcast/messaging';
import { keepPassingOn, type Logger, type Resources } from '@sigcast/runtime';
import type { Registry } from 'prom-client';
import { mailWebhookNotices } from '../consumers/mail-webhook-notices.ts';
import type { AccountNotice, AccountNotices } from '../domain/account-notices.ts';
import type { Mails } from '../domain/mail/sending.ts';

/** In milliseconds. Well below the second within which a suspension takes effect. */
const pauses = { firstMs: 200, maxMs: 400 };

export type NoticesDeps = {
  readonly notices: AccountNotices;
  /** Adds a mail; undefined where none is sent. */
  readonly addMail: Mails['add'] | undefined;
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

/** The most notices of webhooks that are handled at once. */
const noticesAtOnce = 20;

/**
 * Starts to publish account notices, and to handle notices of webhooks. Returns at once: without a broker the gateway serves,
 * and notices wait.
 */
export function openNotices(
  { notices, addMail, broker: addresses, namespace, registry, log }: NoticesDeps,
  resources: Resources,
): OpenNotices {
  const topology = accountTopology(namespace);
  let broker: Broker | undefined;
  const connecting = connectBroker(
    { ...addresses, registry, name: 'gateway', declare: accountDeclarations(topology) },
    log,
    resources,
  );
  const { queue, parked } = webhookTopology(namespace).gateway;
  // Where no mail is sent, notices are dropped, because nobody else empties the queue.
  const handle = addMail === undefined ? async () => undefined : mailWebhookNotices(addMail);
  void connecting.then((connected) => {
    broker = connected;
    if (!resources.disposed) void connected.consume({ queue, parked, prefetch: noticesAtOnce, handle });
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
