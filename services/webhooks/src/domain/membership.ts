/** Where the workers' leases are stored. Times are the store's, in Unix milliseconds. */
export type WorkerRegistry = {
  /** Registers a worker, or renews its lease. `renewed` is false when another worker has removed the expired lease. */
  renew(member: string, options: { readonly isNew: boolean }): Promise<{ renewed: boolean; nowMs: number }>;
  /** All registered workers. `leaving`: the worker begins no more attempts. */
  members(): Promise<readonly Member[]>;
  /** Releases the deliveries that an expired worker had leased, then removes the worker. Several may call it at once. */
  reclaim(member: Member): Promise<void>;
  /** Removes a worker that has stopped in good order. The deliveries that it still leases were not attempted. */
  remove(member: string): Promise<void>;
  /** Stores that a worker begins no more attempts. */
  retire(member: string): Promise<void>;
};

type Member = { readonly id: string; readonly untilMs: number; readonly leaving: boolean };

/** How long a worker counts as alive after its last heartbeat, in milliseconds of the store's clock. */
export const memberLeaseMs = 10_000;

/** A worker that joins others owns nothing for this long, in milliseconds: by then the others have seen it. */
export const joiningMs = 3_000;

type MembershipDeps = {
  readonly registry: WorkerRegistry;
  /** A name that only one process at a time has, such as machine and address. A process takes over from its predecessor of that name. */
  readonly name: string;
  /** Makes an id that tells the processes of a name apart. */
  readonly newId: () => string;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
  /** Called when this worker's lease has expired: its lanes and deliveries belong to other workers now. */
  readonly onExpired: () => void;
  readonly onReclaimed: (member: string) => void;
};

/**
 * The live workers, each with a lease in the store that it renews every two seconds, and which worker owns which account's
 * subscriptions. Ownership is decided by highest-random-weight hashing (Thaler and Ravishankar, 1998), so a worker that comes
 * or goes moves only its own share. All times are the store's, so workers' clocks may differ.
 */
export class Membership {
  readonly #deps: MembershipDeps;
  #id: string;
  #registered = false;
  #others: readonly string[] = [];
  #alone = true;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #steadySinceMs = Number.POSITIVE_INFINITY;
  #joinedAtMs = Number.POSITIVE_INFINITY;
  #storeAheadMs = 0;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
    this.#id = this.#newName();
  }

  /** This worker's name in leases. */
  get id(): string {
    return this.#id;
  }

  /** The store's clock, in Unix milliseconds. */
  nowMs(): number {
    return this.#deps.monotonicMs() + this.#storeAheadMs;
  }

  /** Whether this worker's lease certainly holds. Otherwise it may begin nothing. */
  get alive(): boolean {
    return this.#registered && this.#deps.monotonicMs() - this.#renewedAtMs < memberLeaseMs * 0.8;
  }

  /** Whether no other worker is registered, not even one that is leaving: that one may still make lanes due. */
  get alone(): boolean {
    return this.#alone;
  }

  /** Whether this worker makes this account's deliveries. One worker makes all of them, so it can enforce the account's limits. */
  owns(account: string): boolean {
    if (!this.alive || this.#deps.monotonicMs() < this.#joinedAtMs) return false;
    const own = weight(this.#id, account);
    return this.#others.every((other) => {
      const theirs = weight(other, account);
      return theirs < own || (theirs === own && other < this.#id);
    });
  }

  /** Registers this worker, and reclaims at once what earlier processes of its name had leased. @throws what the store throws. */
  async join(): Promise<void> {
    const { registry, name, onReclaimed } = this.#deps;
    for (const member of await registry.members()) {
      if (!member.id.startsWith(`${name}${separator}`)) continue;
      await registry.reclaim(member);
      onReclaimed(member.id);
    }
    await this.heartbeat();
  }

  /** Renews the lease, reads who lives, and reclaims what dead workers had leased. @throws what the store throws. */
  async heartbeat(): Promise<void> {
    const { registry, monotonicMs } = this.#deps;
    const askedAtMs = monotonicMs();
    const isNew = !this.#registered;
    const { renewed, nowMs } = await registry.renew(this.#id, { isNew });
    const answeredAtMs = monotonicMs();
    // While the store was unavailable nobody could renew: expired leases say nothing until a lease time has passed.
    if (answeredAtMs - this.#renewedAtMs > memberLeaseMs / 2) this.#steadySinceMs = answeredAtMs;
    if (!renewed) {
      this.#registered = false;
      this.#id = this.#newName();
      this.#deps.onExpired();
      return this.heartbeat();
    }
    this.#registered = true;
    this.#renewedAtMs = askedAtMs;
    this.#storeAheadMs = nowMs - monotonicMs();
    const others = (await registry.members()).filter(({ id }) => id !== this.#id);
    this.#alone = others.length === 0;
    this.#others = others.filter(({ untilMs, leaving }) => untilMs > nowMs && !leaving).map(({ id }) => id);
    if (isNew) this.#joinedAtMs = monotonicMs() + (this.#others.length > 0 ? joiningMs : 0);
    if (monotonicMs() - this.#steadySinceMs < memberLeaseMs) return;
    for (const other of others) {
      if (other.untilMs > nowMs) continue;
      await registry.reclaim(other);
      this.#deps.onReclaimed(other.id);
    }
  }

  #newName(): string {
    return `${this.#deps.name}${separator}${this.#deps.newId()}`;
  }

  /** Owns nothing any more: the other workers take its share at their next heartbeats. It still renews its lease. */
  async retire(): Promise<void> {
    this.#joinedAtMs = Number.POSITIVE_INFINITY;
    await this.#deps.registry.retire(this.#id);
  }

  /** Ends the membership, and releases the deliveries that this worker still leases. */
  async leave(): Promise<void> {
    if (!this.#registered) return;
    this.#registered = false;
    await this.#deps.registry.remove(this.#id);
  }
}

/** Between a worker's name and the id of its process. */
const separator = '/';

/** FNV-1a over both names, its bits mixed once more (MurmurHash3's finalizer). */
function weight(member: string, account: string): number {
  let hash = 0x811c9dc5;
  for (const text of [member, account]) {
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
