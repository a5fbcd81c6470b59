import type { Logger } from '@sigcast/runtime';

/** ioredis' error for a connection that ended by another error, which it emits as well. */
const closedMessage = 'Connection is closed.';

/**
 * Logs why connections can't be made: each problem of a server once, until the server is connected again. Logs only an
 * error's message, because ioredis adds the command to errors, and so may add a password.
 */
export class ConnectionLog {
  readonly #log: Logger;
  /** The problems logged of each server since it was last connected. */
  readonly #problems = new Map<string, Set<string>>();
  /** The misconfiguration logged of each server since it was last usable. Such a server accepts connections, and refuses commands. */
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
    if (error.message === closedMessage) return;
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

  /** The server accepts commands. */
  usable(server: string): void {
    this.#faults.delete(server);
    this.#problems.delete(server);
  }

  /** The cluster answers with its map of slots. Problems of single nodes stay until the node connects. */
  clusterUsable(): void {
    this.#faults.clear();
    this.#problems.delete('cluster');
  }
}

/** The misconfiguration that a message of Redis means; undefined for any other message. */
function misconfiguration(message: string): string | undefined {
  if (/WRONGPASS|NOAUTH/.test(message)) return 'the user or password is refused';
  if (/NOPERM/.test(message)) return 'the user lacks a permission';
  if (/^(MOVED|CROSSSLOT) /.test(message)) {
    return 'the server is a node of a cluster: REDIS_URL must begin with redis-cluster:// (rediss-cluster://)';
  }
  if (/cluster support disabled/.test(message)) {
    return 'the server is not a node of a cluster: REDIS_URL must begin with redis:// (rediss://)';
  }
  return undefined;
}
