import { createHash } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';

/**
 * Makes a function that runs a Lua script atomically on the server. The script is called by its SHA-1, and sent whole only
 * when the server does not have it, for example after a failover. On a cluster all `keys` have to be in one slot.
 */
export function defineScript(
  lua: string,
): (redis: Redis | Cluster, keys: string[], args: (string | number)[]) => Promise<unknown> {
  const sha = createHash('sha1').update(lua).digest('hex');
  return (redis, keys, args) =>
    redis.evalsha(sha, keys.length, ...keys, ...args).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(lua, keys.length, ...keys, ...args);
    });
}
