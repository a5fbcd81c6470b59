import { HostLimits } from './host-limits.ts';
import type { Lane } from './lane.ts';

/** The deliveries of one request, by their ids. */
export type DeliveryIds = readonly [first: string, ...others: string[]];

export type AttemptSlotsOptions = {
  /** The most attempts of one subscription at once. */
  readonly maxInFlight: number;
  /** The most attempts at once at one host, over all accounts. */
  readonly maxPerHost: number;
  /** The most attempts at once in all; bounds memory. */
  readonly maxAttempts: number;
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
};

/** The slots for attempts in a worker: which deliveries hold one, and whether the worker, a lane and a host have room for more. */
export class AttemptSlots {
  readonly #max: number;
  readonly #now: () => number;
  readonly #deliveries = new Set<string>();
  readonly #hosts: HostLimits;
  /** When the next attempt at each address with a pace may begin, by account and address. */
  readonly #notBefore = new Map<string, number>();
  #used = 0;

  constructor({ maxInFlight, maxPerHost, maxAttempts, now }: AttemptSlotsOptions) {
    this.#max = maxAttempts;
    this.#now = now;
    this.#hosts = new HostLimits({ maxInFlight, maxPerHost });
  }

  /** How many slots are used. */
  get used(): number {
    return this.#used;
  }

  /** Whether the worker has no free slot for any lane. */
  get full(): boolean {
    return this.#used >= this.#max;
  }

  /** Whether a delivery holds a slot. */
  has(deliveryId: string): boolean {
    return this.#deliveries.has(deliveryId);
  }

  /** Whether the lane's own limit leaves a slot. */
  laneAllows(lane: Lane): boolean {
    if (lane.ordered && lane.inFlight > 0) return false;
    const nowMs = this.#now();
    if (nowMs < (this.#notBefore.get(paceKey(lane)) ?? 0)) return false;
    return lane.limit.allows(lane.inFlight, nowMs);
  }

  /** Whether the lane's host leaves a slot. */
  hostAllows(lane: Lane): boolean {
    return this.#hosts.allows(lane);
  }

  /** As {@link hostAllows}. If not, `release` or `releaseHost` returns the lane when the host has a free slot. */
  hostAllowsOrWaits(lane: Lane): boolean {
    return this.#hosts.allowsOrWaits(lane);
  }

  /** Acquires a slot for deliveries that are sent in one request. */
  acquire(lane: Lane, [first, ...others]: DeliveryIds): void {
    const nowMs = this.#now();
    lane.inFlight += 1;
    lane.usedAtMs = nowMs;
    this.#used += 1;
    for (const id of [first, ...others]) this.#deliveries.add(id);
    this.#hosts.acquire(lane, first);
    const { everyMs = 0 } = lane.batch ?? {};
    this.holdBack(lane, nowMs + everyMs);
  }

  /** Begins nothing at the address of a lane that has a pace before an instant, of all subscriptions of its account. */
  holdBack(lane: Lane, untilMs: number): void {
    if (lane.batch?.everyMs === undefined) return;
    const nowMs = this.#now();
    for (const [key, endMs] of this.#notBefore) if (endMs <= nowMs) this.#notBefore.delete(key);
    const key = paceKey(lane);
    this.#notBefore.set(key, Math.max(untilMs, this.#notBefore.get(key) ?? 0));
  }

  /** Releases the slot. @returns the lanes that waited for a slot at its host, the longest waiting first. */
  release(lane: Lane, [first, ...others]: DeliveryIds): readonly Lane[] {
    lane.inFlight -= 1;
    lane.usedAtMs = this.#now();
    this.#used -= 1;
    for (const id of [first, ...others]) this.#deliveries.delete(id);
    return this.releaseHost(first);
  }

  /** Releases the slot of a request, by its first delivery, at its host alone, once the request has ended. @returns as {@link release}. */
  releaseHost(deliveryId: string): readonly Lane[] {
    return this.#hosts.release(deliveryId);
  }
}

function paceKey({ account, url }: Lane): string {
  return `${account} ${url}`;
}
