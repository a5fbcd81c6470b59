/** What the members see of each other. Times are the store's, in Unix milliseconds. */
export type Registry = {
  /** Makes a member, or renews its lease. False: another member found the lease expired and has removed it. */
  renew(member: string, options: { readonly isNew: boolean }): Promise<{ renewed: boolean; nowMs: number }>;
  /** `leaving`: it begins nothing any more. */
  members(): Promise<readonly Member[]>;
  /** Gives back what an expired member had in hand, then removes the member. May be called by several at once. */
  reclaim(member: Member): Promise<void>;
  /** Removes a member that has ended in good order; what stands under its name was not attempted. */
  remove(member: string): Promise<void>;
  /** Says that a member begins nothing any more. */
  retire(member: string): Promise<void>;
};

export type Member = { readonly id: string; readonly untilMs: number; readonly leaving: boolean };

/** How long a worker counts as alive after it was last heard of, in milliseconds of the store's clock. */
export const memberLeaseMs = 10_000;

/** So long a worker that joins others leaves their shares alone: by then they have seen it, in milliseconds. */
export const joiningMs = 3_000;

export type MembershipDeps = {
  readonly registry: Registry;
  /** What only one process at a time is called, such as its machine and address: one that begins follows one that has ended. */
  readonly name: string;
  /** Makes what tells the processes of a name apart. */
  readonly newId: () => string;
  /** Milliseconds of any clock that never jumps. */
  readonly monotonicMs: () => number;
  /** This worker was taken for dead: whatever it had in hand belongs to others now. */
  readonly onExpired: () => void;
  readonly onReclaimed: (member: string) => void;
};

/**
 * The workers that live, each with a lease in the store that it renews every two seconds, and which account's
 * subscriptions belong to which of them: highest-random-weight hashing (Thaler and Ravishankar, 1998), so that a worker that comes or goes
 * moves only its share. All times are the store's, so workers' clocks may differ.
 */
export class Membership {
  readonly #deps: MembershipDeps;
  #id: string;
  #registered = false;
  #others: readonly string[] = [];
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

  /** Whether this worker's lease certainly holds: only then may it begin anything. */
  get alive(): boolean {
    return this.#registered && this.#deps.monotonicMs() - this.#renewedAtMs < memberLeaseMs * 0.8;
  }

  /** Whether this account's deliveries are this worker's to make: what its subscriptions share is in one process. */
  owns(account: string): boolean {
    if (!this.alive || this.#deps.monotonicMs() < this.#joinedAtMs) return false;
    const own = weight(this.#id, account);
    return this.#others.every((other) => {
      const theirs = weight(other, account);
      return theirs < own || (theirs === own && other < this.#id);
    });
  }

  /** Takes part. What a process of the same name had in hand is given back at once. @throws what the store throws. */
  async join(): Promise<void> {
    const { registry, name, onReclaimed } = this.#deps;
    for (const member of await registry.members()) {
      if (!member.id.startsWith(`${name}${separator}`)) continue;
      await registry.reclaim(member);
      onReclaimed(member.id);
    }
    await this.beat();
  }

  /** Renews the lease, looks who lives, and gives back what the dead had in hand. @throws what the store throws. */
  async beat(): Promise<void> {
    const { registry, monotonicMs } = this.#deps;
    const askedAtMs = monotonicMs();
    const isNew = !this.#registered;
    const { renewed, nowMs } = await registry.renew(this.#id, { isNew });
    const answeredAtMs = monotonicMs();
    // A store that was away kept all from renewing: who did not is no more dead than this worker was.
    if (answeredAtMs - this.#renewedAtMs > memberLeaseMs / 2) this.#steadySinceMs = answeredAtMs;
    if (!renewed) {
      this.#registered = false;
      this.#id = this.#newName();
      this.#deps.onExpired();
      return this.beat();
    }
    this.#registered = true;
    this.#renewedAtMs = askedAtMs;
    this.#storeAheadMs = nowMs - monotonicMs();
    const others = (await registry.members()).filter(({ id }) => id !== this.#id);
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

  /** Begins nothing any more: from their next beat on others take this worker's share. It goes on renewing its lease. */
  async retire(): Promise<void> {
    this.#joinedAtMs = Number.POSITIVE_INFINITY;
    await this.#deps.registry.retire(this.#id);
  }

  /** Ends the membership. What is in hand in spite of that is given back. */
  async leave(): Promise<void> {
    if (!this.#registered) return;
    this.#registered = false;
    await this.#deps.registry.remove(this.#id);
  }
}

/** Between a worker's name and what tells its processes apart. */
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
