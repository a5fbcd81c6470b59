import type { Lane } from './lane.ts';

/**
 * An account may have this many times the attempts of one subscription under way at one host: subscriptions at one host slow
 * each other down only when more than two of them need all their attempts.
 */
const lanesPerHost = 2;
/**
 * The most attempts under way at one host over all accounts whose addresses have yet to answer with success. The host's owner
 * may know nothing of us, and accounts are free.
 */
export const maxUnprovenPerHost = 20;
/** The most waiting lanes of each kind that a free slot of a host returns: most of them begin something, and few have to. */
const maxReturned = 20;

/** What is under way of an account at a host, or of all accounts. */
type HostUsage = {
  inFlight: number;
  /** Unproven addresses with an attempt under way, by the account and the address. */
  readonly unproven: Set<string>;
  /** Lanes that wait for a slot, unproven ones apart: they have a bound of their own. */
  readonly waiting: { readonly proven: Set<Lane>; readonly unproven: Set<Lane> };
};
/** A slot of a delivery: the usages that it counts in. `unproven`: its address, if that is unproven. */
type HostSlot = { readonly keys: readonly string[]; readonly unproven: string | undefined };

/**
 * Bounds the requests under way at one host: of one account, however many of its subscriptions point at the host, and over all
 * accounts in this worker. A delivery holds a slot until the host has answered; writing the outcome needs no slot. All
 * subscriptions of the account at the same unproven address share its one attempt at a time.
 */
export class HostLimits {
  readonly #perAccount: number;
  readonly #perHost: number;
  readonly #usage = new Map<string, HostUsage>();
  /** By delivery, since a lane's address may change while an attempt is under way. */
  readonly #slots = new Map<string, HostSlot>();

  /** `maxInFlight`: the most attempts of one subscription at once. `maxPerHost`: the most at one host, over all accounts. */
  constructor({
    maxInFlight,
    maxPerHost,
  }: {
    readonly maxInFlight: number;
    readonly maxPerHost: number;
  }) {
    this.#perAccount = lanesPerHost * maxInFlight;
    this.#perHost = maxPerHost;
  }

  /** Whether the host has a free slot for one more attempt of this lane. */
  allows(lane: Lane): boolean {
    return this.#fullFor(lane) === undefined;
  }

  /** As {@link allows}. If there is no free slot, `release` returns the lane when a slot becomes free. */
  allowsOrWaits(lane: Lane): boolean {
    const full = this.#fullFor(lane);
    full?.waiting[lane.limit.proven ? 'proven' : 'unproven'].add(lane);
    return full === undefined;
  }

  /** The usage that leaves the lane no slot, if there is one. */
  #fullFor(lane: Lane): HostUsage | undefined {
    const [ofAccount, ofAll] = [this.#usage.get(lane.hostKey), this.#usage.get(lane.host)];
    const { proven } = lane.limit;
    if (ofAccount !== undefined) {
      const isFull = ofAccount.inFlight >= this.#perAccount;
      if (isFull || (!proven && ofAccount.unproven.has(unprovenKey(lane)))) return ofAccount;
    }
    if (ofAll === undefined) return undefined;
    const isFull = ofAll.inFlight >= this.#perHost;
    return isFull || (!proven && ofAll.unproven.size >= maxUnprovenPerHost) ? ofAll : undefined;
  }

  /** Acquires a slot for a delivery. */
  acquire(lane: Lane, deliveryId: string): void {
    const keys = [lane.hostKey, lane.host];
    const unproven = lane.limit.proven ? undefined : unprovenKey(lane);
    this.#slots.set(deliveryId, { keys, unproven });
    for (const key of keys) {
      const usage: HostUsage = this.#usage.get(key) ?? {
        inFlight: 0,
        unproven: new Set(),
        waiting: { proven: new Set(), unproven: new Set() },
      };
      this.#usage.set(key, usage);
      usage.inFlight += 1;
      if (unproven !== undefined) usage.unproven.add(unproven);
    }
  }

  /** Releases a delivery's slot, if it has one. @returns lanes that waited for a slot, the longest waiting first. */
  release(deliveryId: string): readonly Lane[] {
    const slot = this.#slots.get(deliveryId);
    if (!slot) return [];
    this.#slots.delete(deliveryId);
    return slot.keys.flatMap((key) => {
      const usage = this.#usage.get(key);
      if (!usage) return [];
      usage.inFlight -= 1;
      if (slot.unproven !== undefined) usage.unproven.delete(slot.unproven);
      if (usage.inFlight === 0) this.#usage.delete(key);
      // With the last slot all of them, since nothing else would return them.
      const most = usage.inFlight === 0 ? undefined : maxReturned;
      return Object.values(usage.waiting).flatMap((waiting) => {
        const returned = [...waiting].slice(0, most);
        for (const lane of returned) waiting.delete(lane);
        return returned;
      });
    });
  }
}

function unprovenKey({ account, url }: Lane): string {
  return `${account} ${url}`;
}
