import { HostShares } from './host-shares.ts';
import type { Lane } from './lane.ts';

export type PlacesOptions = {
  /** The most attempts under way at once at one subscription. */
  readonly maxInFlight: number;
  /** Attempts under way at once in all; a bound on memory. */
  readonly maxAttempts: number;
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
};

/** The places for attempts in a worker, in all, of each lane and at each host, and which deliveries have them. */
export class Places {
  readonly #max: number;
  readonly #now: () => number;
  readonly #inHand = new Set<string>();
  readonly #hosts: HostShares;
  #taken = 0;

  constructor({ maxInFlight, maxAttempts, now }: PlacesOptions) {
    this.#max = maxAttempts;
    this.#now = now;
    this.#hosts = new HostShares(maxInFlight);
  }

  /** How many are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether the worker has no place left, whatever the lane. */
  get full(): boolean {
    return this.#taken >= this.#max;
  }

  /** Whether a delivery has a place. */
  has(deliveryId: string): boolean {
    return this.#inHand.has(deliveryId);
  }

  /** Whether the lane's own limit leaves a place. */
  laneAllows(lane: Lane): boolean {
    if (lane.ordered && lane.inFlight > 0) return false;
    return lane.limit.allows(lane.inFlight, this.#now());
  }

  /** Whether there is a place at the lane's host. */
  hostAllows(lane: Lane): boolean {
    return this.#hosts.allows(lane);
  }

  /** The same; a lane without one is among those that `leave` or `leaveHost` returns when there is one. */
  hostAllowsOrWaits(lane: Lane): boolean {
    return this.#hosts.allowsOrWaits(lane);
  }

  /** Takes a place for a delivery. */
  take(lane: Lane, deliveryId: string): void {
    lane.inFlight += 1;
    lane.usedAtMs = this.#now();
    this.#taken += 1;
    this.#inHand.add(deliveryId);
    this.#hosts.enter(lane, deliveryId);
  }

  /** Gives a delivery's place back. @returns the lanes that waited for one at its host, the longest first. */
  leave(lane: Lane, deliveryId: string): readonly Lane[] {
    lane.inFlight -= 1;
    lane.usedAtMs = this.#now();
    this.#taken -= 1;
    this.#inHand.delete(deliveryId);
    return this.leaveHost(deliveryId);
  }

  /** Gives its place at the host back alone, if it has it still: the host has answered, or never will. @returns as `leave`. */
  leaveHost(deliveryId: string): readonly Lane[] {
    return this.#hosts.leave(deliveryId);
  }
}
