import type { Lane } from './lane.ts';

/**
 * The attempts under way of an account at one host are at most this many times those of one subscription: several
 * subscriptions at one host don't slow each other down unless more than two of them need all they may have.
 */
const lanesWorth = 2;

type HostShare = { inFlight: number; unproven: number; readonly waiting: Set<Lane> };
type Place = { readonly key: string; readonly proven: boolean };

/**
 * What the subscriptions of one account share at one host: a bound on attempts under way, however many subscriptions point
 * at it. Only one attempt at a time goes to those addresses there that are not proven.
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
    return share === undefined || (share.inFlight < this.#max && (lane.limit.proven || share.unproven === 0));
  }

  /** The same; a lane without a place is among those that `leave` returns when one is free. */
  allowsOrWaits(lane: Lane): boolean {
    if (this.allows(lane)) return true;
    this.#shares.get(lane.hostKey)?.waiting.add(lane);
    return false;
  }

  /** Takes a place for a delivery. */
  enter(lane: Lane, deliveryId: string): void {
    const place = { key: lane.hostKey, proven: lane.limit.proven };
    const share = this.#shares.get(place.key) ?? { inFlight: 0, unproven: 0, waiting: new Set() };
    this.#shares.set(place.key, share);
    this.#places.set(deliveryId, place);
    share.inFlight += 1;
    if (!place.proven) share.unproven += 1;
  }

  /** Gives a delivery's place back. @returns the lanes that waited for one, the longest first. */
  leave(deliveryId: string): readonly Lane[] {
    const place = this.#places.get(deliveryId);
    const share = place && this.#shares.get(place.key);
    if (!share) return [];
    this.#places.delete(deliveryId);
    share.inFlight -= 1;
    if (!place.proven) share.unproven -= 1;
    if (share.inFlight === 0) this.#shares.delete(place.key);
    const waiting = [...share.waiting];
    share.waiting.clear();
    return waiting;
  }
}
