import { createHash, randomBytes } from 'node:crypto';
import {
  type AccountTopology,
  accountTopology,
  type BoundQueue,
  brokerName,
  type EventTopology,
  eventTopology,
  type WebhookTopology,
  webhookTopology,
} from '@sigcast/contracts';
import { type BrokerUser, brokerUsers, type PasswordsOf, root } from './users.ts';

/** Regular expressions for names of exchanges and queues (RabbitMQ: Access Control). */
type Permission = { readonly configure: string; readonly write: string; readonly read: string };

/** An exchange with the service that publishes to it, and its queues with the services that consume them. */
type Flow = {
  readonly exchange: string;
  readonly publisher: BrokerUser;
  readonly queues: readonly {
    readonly consumer: BrokerUser;
    readonly queue: BoundQueue;
  }[];
};

// By name, so that a new queue without a consumer is a type error.
const eventConsumers = {
  stats: 'stats',
  fanout: 'webhooks',
  bulkFanout: 'webhooks',
  tracker: 'tracker',
} satisfies Record<keyof Omit<EventTopology, 'exchange'>, BrokerUser>;
const accountConsumers = { webhooks: 'webhooks' } satisfies Record<
  keyof Omit<AccountTopology, 'exchange'>,
  BrokerUser
>;

const webhookConsumers = { gateway: 'gateway' } satisfies Record<
  keyof Omit<WebhookTopology, 'exchange'>,
  BrokerUser
>;

function flows(namespace: string): readonly Flow[] {
  const { exchange: signals, ...events } = eventTopology(namespace);
  const { exchange: accounts, ...notices } = accountTopology(namespace);
  const { exchange: webhooks, ...webhookNotices } = webhookTopology(namespace);
  const queuesOf = <Name extends string>(
    queues: Readonly<Record<Name, BoundQueue>>,
    consumers: Readonly<Record<Name, BrokerUser>>,
  ) => (Object.keys(queues) as Name[]).map((name) => ({ consumer: consumers[name], queue: queues[name] }));
  return [
    { exchange: signals, publisher: 'signals', queues: queuesOf(events, eventConsumers) },
    { exchange: accounts, publisher: 'gateway', queues: queuesOf(notices, accountConsumers) },
    { exchange: webhooks, publisher: 'webhooks', queues: queuesOf(webhookNotices, webhookConsumers) },
  ];
}

/**
 * What each service may do. A publisher has its exchange and the queues behind it, which it alone declares and deletes. A
 * consumer has its queues. Nobody has the default exchange, which reaches every queue.
 */
export function brokerPermissions(namespace = ''): Readonly<Record<BrokerUser, Permission>> {
  const all = flows(namespace);
  const permission = (user: BrokerUser): Permission => {
    const published = all.filter(({ publisher }) => publisher === user);
    const consumed = all.flatMap(({ queues }) => queues.filter(({ consumer }) => consumer === user));
    const namesOf = (queues: Flow['queues']) =>
      queues.flatMap(({ queue: { queue, parked } }) => [literally(queue), literally(parked)]);
    const declared = published.flatMap(({ exchange, queues }) => [literally(exchange), ...namesOf(queues)]);
    const own = oneOf([...declared, ...namesOf(consumed)]);
    return { configure: oneOf(declared), write: own, read: own };
  };
  return Object.fromEntries(brokerUsers.map((user) => [user, permission(user)])) as Record<
    BrokerUser,
    Permission
  >;
}

function oneOf(patterns: readonly string[]): string {
  return `^(${[...new Set(patterns)].join('|')})$`;
}

function literally(name: string): string {
  return name.replace(/\W/g, '\\$&');
}

/**
 * The content of a definitions file for RabbitMQ (`load_definitions`, `rabbitmqctl import_definitions`): the users with their
 * permissions in the virtual host `/`. A namespace stands in front of the users' names, too.
 */
export function rabbitmqDefinitions(
  { root: rootPassword, ...passwords }: PasswordsOf<BrokerUser> & { readonly root?: string },
  namespace = '',
): string {
  const permissions = brokerPermissions(namespace);
  const everything = { configure: '.*', write: '.*', read: '.*' };
  const users = [
    ...brokerUsers.map((user) => ({
      name: brokerName(namespace, user),
      password: passwords[user],
      may: permissions[user],
      tags: [],
    })),
    ...(rootPassword === undefined
      ? []
      : [{ name: root, password: rootPassword, may: everything, tags: ['administrator'] }]),
  ];
  const definitions = {
    users: users.map(({ name, password, tags }) => ({
      name,
      password_hash: passwordHash(password),
      tags,
      hashing_algorithm: 'rabbit_password_hashing_sha256',
    })),
    vhosts: [{ name: '/' }],
    permissions: users.map(({ name, may }) => ({ user: name, vhost: '/', ...may })),
  };
  return `${JSON.stringify(definitions, null, 2)}\n`;
}

/** A salted hash in RabbitMQ's form (RabbitMQ: Credentials and Passwords). */
function passwordHash(password: string): string {
  const salt = randomBytes(4);
  const hash = createHash('sha256').update(salt).update(password).digest();
  return Buffer.concat([salt, hash]).toString('base64');
}
