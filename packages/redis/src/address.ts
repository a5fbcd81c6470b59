/** One host and port. */
type RedisHost = { readonly host: string; readonly port: number };

/** A parsed `REDIS_URL`. */
export type RedisAddress = {
  /** Whether connections are encrypted. */
  readonly tls: boolean;
  readonly user?: string;
  readonly password?: string;
} & (
  | { readonly kind: 'single'; readonly host: RedisHost; readonly db: number }
  | { readonly kind: 'cluster'; readonly hosts: readonly RedisHost[] }
  | { readonly kind: 'sentinel'; readonly sentinels: readonly RedisHost[]; readonly master: string }
);

/** Thrown for a wrong address. The message says what is wrong, and never contains the address, which may hold a password. */
export class RedisAddressError extends Error {
  override readonly name = 'RedisAddressError';
}

const forms = `must be redis://[[user]:password@]host[:port][/database], redis-cluster://[[user]:password@]host[:port],host[:port]… or redis-sentinel://[[user]:password@]host[:port],host[:port]…/master-name, with rediss instead of redis for TLS`;
const redisPort = 6379;
const sentinelPort = 26_379;

/**
 * Parses an address of Redis: one server, some nodes of a cluster, or Sentinels and the name of their master.
 * User and password are those of the Redis servers, percent-encoded where they hold any of `/?#[]@,%`.
 * @throws {RedisAddressError} naming what is wrong.
 */
export function parseRedisAddress(text: string): RedisAddress {
  const parts = /^redis(s?)(?:-(cluster|sentinel))?:\/\/([^/?#]*)([^?#]*)(.*)$/s.exec(text);
  if (parts === null) throw new RedisAddressError(forms);
  const [, secure, kind = 'single', authority = '', path = '', rest = ''] = parts;
  if (rest !== '')
    throw new RedisAddressError('takes nothing after "?" or "#" (written %3F and %23 in a password)');
  const at = authority.lastIndexOf('@');
  const common = { tls: secure === 's', ...readUser(at === -1 ? undefined : authority.slice(0, at)) };
  const names = authority.slice(at + 1).split(',');
  const target = path.replace(/^\//, '');
  if (kind === 'sentinel') {
    if (!/^[\w.-]+$/.test(target)) {
      throw new RedisAddressError('must end with "/" and the name that the Sentinels know the master by');
    }
    return { kind, ...common, sentinels: readHosts(names, sentinelPort), master: target };
  }
  if (kind === 'cluster') {
    if (target !== '')
      throw new RedisAddressError('names a database, but a cluster has only one: leave it out');
    return { kind, ...common, hosts: readHosts(names, redisPort) };
  }
  const [host, ...others] = readHosts(names, redisPort);
  if (host === undefined || others.length > 0) {
    throw new RedisAddressError('names several hosts: that is redis-cluster:// or redis-sentinel://');
  }
  if (!/^\d{0,5}$/.test(target)) throw new RedisAddressError('a database\'s number must follow the last "/"');
  return { kind: 'single', ...common, host, db: Number(target) };
}

function readUser(text: string | undefined): { user?: string; password?: string } {
  if (text === undefined) return {};
  const colon = text.indexOf(':');
  if (colon === -1 || colon === text.length - 1) {
    throw new RedisAddressError('names a user without a password (a password alone is written :password@)');
  }
  try {
    const [user, password] = [text.slice(0, colon), text.slice(colon + 1)].map(decodeURIComponent);
    return { ...(user && { user }), ...(password && { password }) };
  } catch {
    throw new RedisAddressError('user or password has a "%" that is not followed by two hexadecimal digits');
  }
}

function readHosts(names: readonly string[], defaultPort: number): RedisHost[] {
  return names.map((name, index) => {
    const where = names.length === 1 ? 'its host' : `host ${index + 1} of ${names.length}`;
    const parts = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d+))?$/i.exec(name);
    if (parts === null) {
      throw new RedisAddressError(
        `${where} must be a name or address with or without :port (is a "/" or "," of the password not percent-encoded?)`,
      );
    }
    const port = parts[3] === undefined ? defaultPort : Number(parts[3]);
    if (port < 1 || port > 65_535)
      throw new RedisAddressError(`${where} has a port that is not from 1 to 65535`);
    return { host: parts[1] ?? parts[2] ?? '', port };
  });
}
