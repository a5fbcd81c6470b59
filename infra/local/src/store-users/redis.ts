import { createHash } from 'node:crypto';
import { type PasswordsOf, type RedisUser, redisUsers, root } from './users.ts';

/** Written to see whether Redis takes writes, by everybody who uses it. It holds nothing. */
const probe = 'probe:*';

/** The keys that each user may read and write, as patterns. The gateway's README and ARCHITECTURE.md say what they hold. */
const keysOf: Readonly<Record<RedisUser, readonly string[]>> = {
  gateway: ['{*}:*', probe],
  operator: ['{*}:windows', probe],
  'tracker-poller': ['market:*', probe],
  scanner: ['market:*', probe],
};

/**
 * Commands on single keys, also in scripts, and what a client needs to connect to a server or a cluster. None lists keys,
 * publishes to channels, or changes the server.
 */
const commands = [
  ...['-@all', '+@connection', '+@string', '+@hash', '+@set', '+@sortedset', '-@dangerous'],
  ...['+del', '+exists', '+expire', '+pexpire', '+pttl', '+time', '+eval', '+evalsha'],
  ...['+info', '+cluster|slots'],
].join(' ');

/** The content of an ACL file for Redis (`aclfile`). Without a password nobody gets in. */
export function redisAcl(
  { root: rootPassword, ...passwords }: PasswordsOf<RedisUser | typeof root>,
  { namespace = '', keyPrefix = '' } = {},
): string {
  const prefix = keyPrefix.replace(/[*?[\]\\]/g, '\\$&');
  const lines = redisUsers.map((user) => {
    const name = namespace === '' ? user : `${namespace}.${user}`;
    const keys = keysOf[user].map((pattern) => `~${prefix}${pattern}`).join(' ');
    return `user ${name} reset on ${hashOf(passwords[user])} ${keys} ${commands}`;
  });
  const everything = `user ${root} reset on ${hashOf(rootPassword)} ~* &* +@all`;
  return `${['user default reset', everything, ...lines].join('\n')}\n`;
}

function hashOf(password: string): string {
  return `#${createHash('sha256').update(password).digest('hex')}`;
}
