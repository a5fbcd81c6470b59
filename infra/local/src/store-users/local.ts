import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackingService } from '../backing-service.ts';
import type { Engines } from '../debian/engines.ts';
import type { RabbitmqNodeOptions } from '../debian/rabbitmq.ts';
import type { RedisNodeOptions } from '../debian/redis.ts';
import { writeWhole } from '../system/write-whole.ts';
import { rabbitmqDefinitions } from './rabbitmq.ts';
import { redisAcl } from './redis.ts';
import { brokerUsers, completePasswords, type PasswordsOf, redisUsers, root, withUser } from './users.ts';

/** Makes the stores of a data directory with the users of the services, whose passwords the directory keeps. */
export function localStoreUsers(dataDir: string) {
  const file = join(dataDir, 'store-passwords.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>) : {};
  const redis = completePasswords([root, ...redisUsers], known.redis);
  const rabbitmq = completePasswords([root, ...brokerUsers], known.rabbitmq);
  writeWhole(file, JSON.stringify({ redis, rabbitmq }));
  return {
    redis: (engines: Engines, options: RedisNodeOptions): BackingService =>
      withUsers(
        engines.redisNode({
          ...options,
          args: (dir) => ['--aclfile', `${dir}/users.acl`],
          files: { 'users.acl': redisAcl(redis) },
        }),
        redis,
      ),
    rabbitmq: (engines: Engines, options: RabbitmqNodeOptions): BackingService =>
      withUsers(
        engines.rabbitmqNode({
          ...options,
          configuration: (dir) => [`load_definitions = ${dir}/definitions.json`],
          files: { 'definitions.json': rabbitmqDefinitions(rabbitmq) },
        }),
        rabbitmq,
      ),
  };
}

function withUsers(service: BackingService, passwords: PasswordsOf<string>): BackingService {
  const urlOf = (user: string) => withUser(service.url, user, passwords[user] ?? '');
  return { ...service, url: urlOf(root), urlOf };
}
