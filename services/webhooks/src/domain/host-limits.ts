import type { Lane } from './lane.ts';

/**
 * An account may have this many times the attempts of one subscription under way at one host: subscriptions at one host slow
 * each other down only when more than two of them need all their attempts.
 */
const lanesPerHost = 2;

type HostUsage = {
  inFlight: number;
  /** Unproven addresses with an attempt under way. */
  readonly unproven: Set<string>;
  readonly waiting: Set<Lane>;
};
/** A slot of a delivery. `unproven`: its address, if that is unproven. */
type HostSlot = { readonly key: string; readonly unproven: string | undefined };

/**
 * Bounds the requests under way of one account at one host, however many subscriptions point at the host. A delivery holds a
 * slot until the host has answered; writing the outcome needs no slot. All subscriptions of the account at the same unproven
 * address share its one attempt at a time.
 */
export class HostLimits {
  readonly #max: number;
  readonly #usage = new Map<string, HostUsage>();
  /** By delivery, since a lane's address may change while an attempt is under way. */
  readonly #slots = new Map<string, HostSlot>();

  /** `maxInFlight`: the most attempts of one subscription at once. */
  constructor(maxInFlight: number) {
    this.#max = lanesPerHost * maxInFlight;
  }

  /** Whether the host has a free slot for one more attempt of this lane. */
  allows(lane: Lane): boolean {
    const usage = this.#usage.get(lane.hostKey);
    if (usage === undefined) return true;
    return usage.inFlight < this.#max && (lane.limit.proven || !usage.unproven.has(lane.url));
  }

  /** As {@link allows}. If there is no free slot, `release` returns the lane when a slot becomes free. */
  allowsOrWaits(lane: Lane): boolean {
    if (this.allows(lane)) return true;
    this.#usage.get(lane.hostKey)?.waiting.add(lane);
    return false;
  }

  /** Acquires a slot for a delivery. */
  acquire(lane: Lane, deliveryId: string): void {
    const slot = { key: lane.hostKey, unproven: lane.limit.proven ? undefined : lane.url };
    const usage: HostUsage = this.#usage.get(slot.key) ?? {
      ...{ inFlight: 0, unproven: new Set(), waiting: new Set() },
    };
    this.#usage.set(slot.key, usage);
    this.#slots.set(deliveryId, slot);
    usage.inFlight += 1;
    if (slot.unproven !== undefined) usage.unproven.add(slot.unproven);
  }

  /** Releases a delivery's slot, if it has one. @returns the lanes that waited for a slot, the longest waiting first. */
  release(deliveryId: string): readonly Lane[] {
    const slot = this.#slots.get(deliveryId);
    const usage = slot && this.#usage.get(slot.key);
    if (!usage) return [];
    this.#slots.delete(deliveryId);
    usage.inFlight -= 1;
    if (slot.unproven !== undefined) usage.unproven.delete(slot.unproven);
    if (usage.inFlight === 0) this.#usage.delete(slot.key);
    const waiting = [...usage.waiting];
    usage.waiting.clear();
    return waiting;
  }
}
