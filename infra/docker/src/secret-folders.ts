import { queueBound } from '@sigcast/local';

/** All passwords of the system. */
export type Passwords = {
  /** The key file of the replica set's members. */
  readonly keyfile: string;
  readonly redis: string;
  readonly rabbitmq: string;
  /** By user of the store. */
  readonly mongo: Readonly<Record<'root' | StoreUser, string>>;
};

/** Services that store data in MongoDB, each with a user and a database of its own. */
export const storeUsers = ['gateway', 'signals', 'stats', 'webhooks', 'tracker'] as const;
type StoreUser = (typeof storeUsers)[number];

/** A user of MongoDB, as `mongo-setup` makes it. */
export type StoreAccount = { readonly name: string; readonly password: string; readonly database: string };

/** The secrets of a service, and the ids of the user and group that may read them. */
type SecretFolder = {
  readonly uid: number;
  readonly gid: number;
  readonly files: Readonly<Record<string, string>>;
};

/** The user `node` of the services' images. */
const node = { uid: 1000, gid: 1000 };
/** The stores' users in their official images. */
const store = { uid: 999, gid: 999 };

/** The files in the folder of each service. */
export function secretFolders(
  passwords: Passwords,
  keys: Readonly<Record<string, string>>,
): Readonly<Record<string, SecretFolder>> {
  const { mongo, redis, rabbitmq, keyfile } = passwords;
  const database = (user: StoreUser) => `sigcast_${user}`;
  const mongodbUri = (user: StoreUser) => ({
    'mongodb-uri': `mongodb://${user}:${mongo[user]}@mongo:27017/?authSource=admin&replicaSet=rs0`,
  });
  const redisUrl = { 'redis-url': `redis://:${redis}@redis:6379` };
  const amqpUrl = { 'amqp-url': `amqp://sigcast:${rabbitmq}@rabbitmq:5672` };
  const accounts: StoreAccount[] = storeUsers.map((user) => ({
    ...{ name: user, password: mongo[user], database: database(user) },
  }));
  const key = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [`${name}.pem`, keys[`${name}.pem`] ?? '']));
  const gatewayPublic = key('gateway-identity.public');
  return {
    mongo: { ...store, files: { keyfile } },
    'mongo-setup': {
      ...node,
      files: { 'root-password': mongo.root, 'accounts.json': JSON.stringify(accounts) },
    },
    redis: { ...store, files: { password: redis, 'redis.conf': `requirepass ${redis}\n` } },
    rabbitmq: {
      ...store,
      files: {
        'rabbitmq.conf': `${[
          'default_user = sigcast',
          `default_pass = ${rabbitmq}`,
          'log.console = true',
          'log.file = false',
          ...queueBound,
        ].join('\n')}\n`,
      },
    },
    gateway: {
      ...node,
      files: {
        ...mongodbUri('gateway'),
        ...redisUrl,
        ...amqpUrl,
        ...key('gateway-identity.private', 'gateway-identity.public'),
      },
    },
    signals: {
      ...node,
      files: { ...mongodbUri('signals'), ...amqpUrl, ...gatewayPublic, ...key('operator.public') },
    },
    stats: { ...node, files: { ...mongodbUri('stats'), ...amqpUrl, ...gatewayPublic } },
    webhooks: { ...node, files: { ...mongodbUri('webhooks'), ...amqpUrl, ...gatewayPublic } },
    tracker: { ...node, files: { ...mongodbUri('tracker'), ...amqpUrl, ...gatewayPublic } },
    // `setup` adds the token.
    'tracker-poller': { ...node, files: { ...mongodbUri('tracker'), ...redisUrl } },
    operator: {
      ...node,
      files: { ...mongodbUri('gateway'), ...redisUrl, ...key('operator.private') },
    },
    // `setup` adds the token.
    market: { ...node, files: {} },
  };
}
