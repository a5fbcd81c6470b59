import type { Logger } from '@sigcast/runtime';

/** ioredis' word that something else ended a connection; what it was comes as an error of its own. */
const consequence = 'Connection is closed.';

/**
 * Says what keeps connections from being made: once, and again after a connection was made or when it is something
 * else. Only an error's own words are logged; what ioredis adds to it holds the command, and so a password.
 */
export class ConnectionLog {
  readonly #log: Logger;
  /** Said of each server since it was last connected. */
  readonly #problems = new Map<string, Set<string>>();
  /** Said of each server since it was last of use: some let us connect, and refuse what is asked then. */
  readonly #faults = new Map<string, string>();
  readonly #connected = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  connected(server: string): void {
    if (this.#faults.has(server)) return;
    this.#problems.delete(server);
    this.#connected.add(server);
    this.#log.info({ server }, 'redis: connected');
  }

  lost(server: string): void {
    if (this.#connected.delete(server)) this.#log.warn({ server }, 'redis: connection lost');
  }

  failed(server: string, error: NodeJS.ErrnoException): void {
    if (error.message === consequence) return;
    const fields = { server, reason: error.message || error.code };
    const fault = misconfiguration(error.message);
    if (fault !== undefined) {
      if (this.#faults.get(server) === fault) return;
      this.#faults.set(server, fault);
      this.#log.error(fields, `redis: ${fault}`);
      return;
    }
    const problem = error.code ?? error.message.replaceAll(/\d+/g, '');
    const known = this.#problems.get(server) ?? new Set();
    if (known.has(problem)) return;
    this.#problems.set(server, known.add(problem));
    this.#log.warn(fields, 'redis: no connection');
  }

  /** Nothing is in the way of this server any more. */
  works(server: string): void {
    this.#faults.delete(server);
    this.#problems.delete(server);
  }

  /** A cluster tells who holds which slots. A node that can't be reached is another matter: it ends when that node connects. */
  clusterWorks(): void {
    this.#faults.clear();
    this.#problems.delete('cluster');
  }
}

/** What only an operator can mend, by how Redis begins to say it. */
function misconfiguration(message: string): string | undefined {
  if (/WRONGPASS|NOAUTH/.test(message)) return 'our user or password is refused';
  if (/NOPERM/.test(message)) return 'our user lacks a permission';
  if (/^(MOVED|CROSSSLOT) /.test(message)) {
    return 'this is a node of a cluster: REDIS_URL must begin with redis-cluster:// (rediss-cluster://)';
  }
  if (/cluster support disabled/.test(message)) {
    return 'this is no cluster: REDIS_URL must begin with redis:// (rediss://)';
  }
  return undefined;
}
