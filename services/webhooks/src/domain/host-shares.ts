import type { Lane } from './lane.ts';

/**
 * The attempts under way of an account at one host are at most this many times those of one subscription: several
 * subscriptions at one host don't slow each other down unless more than two of them need all they may have.
 */
const lanesWorth = 2;

type HostShare = {
  inFlight: number;
  /** Addresses that are not proven, with an attempt under way. */
  readonly unproven: Set<string>;
  readonly waiting: Set<Lane>;
};
/** `unproven`: the address, if it is not proven. */
type Place = { readonly key: string; readonly unproven: string | undefined };

/**
 * What the subscriptions of one account share at one host: a bound on requests under way, however many subscriptions point
 * at it. A delivery has its place until its host has answered, not until that is written. Those with the same address share the one attempt at a time that it gets until it is proven.
 */
export class HostShares {
  readonly #max: number;
  readonly #shares = new Map<string, HostShare>();
  /** By delivery: a lane's address may change while an attempt is under way. */
  readonly #places = new Map<string, Place>();

  /** `maxInFlight`: the most attempts at once of one subscription. */
  constructor(maxInFlight: number) {
    this.#max = lanesWorth * maxInFlight;
  }

  /** Whether there is a place for one more attempt of this lane. */
  allows(lane: Lane): boolean {
    const share = this.#shares.get(lane.hostKey);
    if (share === undefined) return true;
    return share.inFlight < this.#max && (lane.limit.proven || !share.unproven.has(lane.url));
  }

  /** The same; a lane without a place is among those that `leave` returns when one is free. */
  allowsOrWaits(lane: Lane): boolean {
    if (this.allows(lane)) return true;
    this.#shares.get(lane.hostKey)?.waiting.add(lane);
    return false;
  }

  /** Takes a place for a delivery. */
  enter(lane: Lane, deliveryId: string): void {
    const place = { key: lane.hostKey, unproven: lane.limit.proven ? undefined : lane.url };
    const share: HostShare = this.#shares.get(place.key) ?? {
      ...{ inFlight: 0, unproven: new Set(), waiting: new Set() },
    };
    this.#shares.set(place.key, share);
    this.#places.set(deliveryId, place);
    share.inFlight += 1;
    if (place.unproven !== undefined) share.unproven.add(place.unproven);
  }

  /** Gives a delivery's place back, if it has one. @returns the lanes that waited for one, the longest first. */
  leave(deliveryId: string): readonly Lane[] {
    const place = this.#places.get(deliveryId);
    const share = place && this.#shares.get(place.key);
    if (!share) return [];
    this.#places.delete(deliveryId);
    share.inFlight -= 1;
    if (place.unproven !== undefined) share.unproven.delete(place.unproven);
    if (share.inFlight === 0) this.#shares.delete(place.key);
    const waiting = [...share.waiting];
    share.waiting.clear();
    return waiting;
  }
}
