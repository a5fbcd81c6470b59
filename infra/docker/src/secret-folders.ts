import {
  type BrokerUser,
  type PasswordsOf,
  queueBound,
  type RedisUser,
  rabbitmqDefinitions,
  redisAcl,
} from '@sigcast/local';

/** All passwords of the system. */
export type Passwords = {
  /** The key file of the replica set's members. */
  readonly keyfile: string;
  readonly redis: PasswordsOf<'root' | RedisUser>;
  readonly rabbitmq: PasswordsOf<BrokerUser>;
  readonly mongo: PasswordsOf<'root' | StoreUser>;
};

/** The users of MongoDB: services, each with a database of its own, and the gateway's operator commands. */
export const storeUsers = [
  'gateway',
  'operator',
  'signals',
  'stats',
  'webhooks',
  'tracker',
  'scanner',
] as const;
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
  const database = (user: StoreUser) => `sigcast_${user === 'operator' ? 'gateway' : user}`;
  const mongodbUri = (user: StoreUser) => ({
    'mongodb-uri': `mongodb://${user}:${mongo[user]}@mongo:27017/?authSource=admin&replicaSet=rs0`,
  });
  const redisUrl = (user: RedisUser) => ({ 'redis-url': `redis://${user}:${redis[user]}@redis:6379` });
  const amqpUrl = (user: BrokerUser) => ({ 'amqp-url': `amqp://${user}:${rabbitmq[user]}@rabbitmq:5672` });
  const accounts: StoreAccount[] = storeUsers.map((user) => ({
    name: user,
    password: mongo[user],
    database: database(user),
  }));
  const key = (...names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => {
        const text = keys[name];
        if (!text) throw new Error(`/secrets/keys has no key in ${name}`);
        return [name, text];
      }),
    );
  const gatewayPublic = key('gateway-identity.public.pem');
  return {
    mongo: { ...store, files: { keyfile } },
    'mongo-setup': {
      ...node,
      files: { 'root-password': mongo.root, 'accounts.json': JSON.stringify(accounts) },
    },
    redis: { ...store, files: { 'root-password': redis.root, 'users.acl': redisAcl(redis) } },
    rabbitmq: {
      ...store,
      files: {
        'rabbitmq.conf': `${[
          'load_definitions = /run/secrets/definitions.json',
          'log.console = true',
          'log.file = false',
          ...queueBound,
        ].join('\n')}\n`,
        'definitions.json': rabbitmqDefinitions(rabbitmq),
      },
    },
    gateway: {
      ...node,
      files: {
        ...mongodbUri('gateway'),
        ...redisUrl('gateway'),
        ...amqpUrl('gateway'),
        ...key('gateway-identity.private.pem', 'gateway-identity.public.pem', 'gateway-seal.keys'),
      },
    },
    signals: {
      ...node,
      files: {
        ...mongodbUri('signals'),
        ...amqpUrl('signals'),
        ...gatewayPublic,
        ...key('operator.public.pem'),
      },
    },
    stats: { ...node, files: { ...mongodbUri('stats'), ...amqpUrl('stats'), ...gatewayPublic } },
    webhooks: {
      ...node,
      files: {
        ...mongodbUri('webhooks'),
        ...amqpUrl('webhooks'),
        ...gatewayPublic,
        ...key('webhook-seal.keys'),
      },
    },
    tracker: {
      ...node,
      files: {
        ...mongodbUri('tracker'),
        ...amqpUrl('tracker'),
        ...gatewayPublic,
        ...key('log-signing.private.pem'),
      },
    },
    // `setup` adds the tokens of poller and scanner.
    'tracker-poller': { ...node, files: { ...mongodbUri('tracker'), ...redisUrl('tracker-poller') } },
    scanner: {
      ...node,
      files: { ...mongodbUri('scanner'), ...redisUrl('scanner'), ...gatewayPublic },
    },
    operator: {
      ...node,
      files: { ...mongodbUri('operator'), ...redisUrl('operator'), ...key('operator.private.pem') },
    },
    // `setup` adds the token.
    market: { ...node, files: {} },
  };
}
