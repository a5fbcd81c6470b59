import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import type { Claimed, PendingDelivery, Recipient } from './attempting.ts';
import { suspectCrashes } from './delivery.ts';
import type { Lane } from './lane.ts';
import { lookUp } from './lane-look.ts';
import { LanesInHand, type LanesInHandDeps } from './lanes-in-hand.ts';
import { Places, type PlacesOptions } from './places.ts';

export type SchedulerDeps = AttemptDeps &
  LanesInHandDeps &
  PlacesOptions & {
    readonly membership: { readonly alive: boolean };
    /** Told of what could not be read or written; `what` names a delivery or subscriptions. */
    readonly onProblem: (error: unknown, what: string) => void;
  };

/**
 * Attempts the deliveries of the subscriptions that belong to this worker. MongoDB says which subscriptions have
 * something due. A subscription that is worked on is a lane ({@link LanesInHand}): its due deliveries are looked up in
 * batches, oldest first, and attempted within the lane's own limit ({@link Places}). Lanes take turns. A claimed delivery
 * is leased to this worker, so what a dead worker had in hand is known.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #attempting: AttemptDeps;
  readonly #lanes: LanesInHand;
  readonly #places: Places;
  /** Lanes that may have something to begin, in the order of their turns. */
  readonly #turns = new Set<Lane>();
  readonly #work = new Set<Promise<unknown>>();
  #suspects: Promise<unknown> = Promise.resolve();
  #stopping = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#lanes = new LanesInHand(deps, (lane) => this.#turns.delete(lane));
    this.#places = new Places(deps);
    this.#attempting = {
      ...deps,
      onAttempt: (claimed, ...attempt) => {
        deps.onAttempt(claimed, ...attempt);
        // Its host has answered, or never will: what is still to be written is no load for it.
        for (const waiting of this.#places.leaveHost(claimed.delivery.id)) this.#enqueue(waiting);
        this.#serve();
      },
    };
  }

  /**
   * Attempts under way, lanes in hand, endpoints that only hang, and since when the oldest delivery here has been due, of
   * those that their endpoints have room for: others say nothing of this worker.
   */
  get state() {
    const lanes = this.#lanes.known;
    const oldest = lanes
      .filter((lane) => !lane.limit.open && this.#places.laneAllows(lane) && this.#places.hostAllows(lane))
      .reduce((least, { oldestDueAt }) => Math.min(least, oldestDueAt ?? least), Number.POSITIVE_INFINITY);
    return {
      attempts: this.#places.taken,
      lanes: lanes.filter(({ taken }) => taken).length,
      open: lanes.filter(({ limit }) => limit.open).length,
      oldestDueAt: oldest === Number.POSITIVE_INFINITY ? undefined : oldest,
    };
  }

  /** Deliveries that this worker has claimed, or is about to. */
  hasInHand(deliveryId: string): boolean {
    return this.#places.has(deliveryId);
  }

  /** Whether it is for this worker to take a subscription's lane, and it has not. */
  misses(subscription: string, account: string): boolean {
    return this.#deps.membership.owns(account) && !this.#lanes.find(subscription)?.taken;
  }

  /** Takes the lanes that are due and belong to this worker, and goes on with those that wait. @throws what the store throws. */
  async poll(): Promise<void> {
    if (this.#stopping || !this.#deps.membership.alive) return;
    this.#probe();
    for (const lane of await this.#lanes.take()) this.#enqueue(lane);
    await this.#unblock();
    this.#serve();
  }

  /** Keeps the lanes in hand hidden from other workers, and gives up those that are theirs now. @throws as the store. */
  async keepHidden(): Promise<void> {
    for (const lane of await this.#lanes.keepHidden()) this.#enqueue(lane);
    this.#serve();
  }

  /**
   * Takes a place for a delivery that is about to be made; `start` or `free` follows. False: there is none here, or
   * others of the subscription come first.
   */
  tryReserve(recipient: Recipient, deliveryId: string): boolean {
    if (this.#stopping || this.#places.full || this.#places.has(deliveryId)) return false;
    if (!this.#deps.membership.owns(recipient.account)) return false;
    const known = this.#lanes.find(recipient.id);
    const lane = known?.taken ? known : this.#lanes.at(recipient.id, recipient);
    if (
      recipient.ordered ||
      lane.ordered ||
      lane.hasBacklog ||
      (lane.taken && lane.url !== recipient.url) || // read before its address was changed
      !this.#places.laneAllows(lane) ||
      !this.#places.hostAllows(lane)
    ) {
      this.#lanes.forgetIdle(lane);
      return false;
    }
    this.#places.take(lane, deliveryId);
    return true;
  }

  /** Attempts a delivery that was claimed in a reserved place. */
  start(claimed: Claimed): void {
    const { subscription, account } = claimed.delivery;
    const lane = this.#lanes.at(subscription, { ...claimed, account, ordered: false });
    const attempt = () => attemptDelivery(lane, claimed, this.#attempting);
    this.#track(this.#inPlace(lane, claimed.delivery.id, attempt));
  }

  /** Gives a reserved place back without an attempt. */
  free(subscription: string, deliveryId: string): void {
    const lane = this.#lanes.find(subscription);
    if (lane) this.#leave(lane, deliveryId);
  }

  /** Whether the lane is in hand here, so that its new delivery is found without a mark in the store. */
  noticeDue(subscription: string): boolean {
    const lane = this.#lanes.find(subscription);
    if (!lane?.taken || lane.settling) return false;
    if (this.#stopping || !this.#deps.membership.owns(lane.account)) return false;
    lane.stale = true;
    this.#enqueue(lane);
    this.#serve();
    return true;
  }

  /** Drops what waits: it belongs to other workers now. Attempts under way go on; their outcomes will not count. */
  forget(): void {
    this.#lanes.giveUpAll();
  }

  /** Begins nothing more, resolves when every attempt under way has its outcome written, and leaves the rest to others. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#lanes.markDue(this.#lanes.giveUpAll());
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  #enqueue(lane: Lane): void {
    if (!this.#stopping && lane.taken) this.#turns.add(lane);
  }

  /** Lets blocked lanes be looked at that may go on. The feed is asked once for all, while any waits for it. */
  async #unblock(): Promise<void> {
    const blocked = this.#lanes.known.filter((lane) => lane.blocked);
    const forFeed = blocked.some((lane) => lane.blocked !== 'attempted');
    const madeUpTo = forFeed ? await this.#deps.attempts.fannedOutUpTo() : 0;
    for (const lane of blocked) if (lane.unblock(madeUpTo, this.#deps.now())) this.#enqueue(lane);
  }

  /** Lanes whose circuits are open wait for the time of their next probe. */
  #probe(): void {
    for (const lane of this.#lanes.known) {
      if (lane.taken && lane.limit.open && this.#places.laneAllows(lane)) this.#enqueue(lane);
    }
  }

  /** Gives each lane in line a turn, one delivery a turn, while there is room. */
  #serve(): void {
    for (const lane of this.#turns) {
      if (this.#stopping || !this.#deps.membership.alive || this.#places.full) return;
      this.#turns.delete(lane);
      if (this.#giveTurn(lane)) this.#turns.add(lane);
    }
  }

  /** @returns whether the lane may have more to begin. */
  #giveTurn(lane: Lane): boolean {
    if (!this.#deps.membership.owns(lane.account) || !this.#places.laneAllows(lane)) return false;
    if (!lane.hasReady && lane.needsLook) this.#track(this.#look(lane));
    if (!lane.hasReady || !this.#places.hostAllowsOrWaits(lane)) return false;
    const pending = lane.next();
    if (pending === undefined) return false;
    this.#places.take(lane, pending.id);
    this.#track(this.#claimIn(lane, pending));
    return lane.hasReady;
  }

  #leave(lane: Lane, deliveryId: string): void {
    // Those that waited for its place at the host come first.
    for (const waiting of this.#places.leave(lane, deliveryId)) this.#enqueue(waiting);
    this.#enqueue(lane);
    this.#lanes.forgetIdle(lane);
    this.#serve();
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** Looks up what a lane has due. One with nothing due, and nothing under way, goes back to the store. */
  async #look(lane: Lane): Promise<void> {
    const look = lane.beginLook();
    try {
      const nowMs = this.#deps.now();
      const isInHand = (id: string) => this.#places.has(id);
      const found = await lookUp(lane, this.#deps.attempts, { nowMs, isInHand });
      if (!lane.endLook(look, found.due, found.complete)) return;
      lane.block(found.blocked, nowMs, found.next);
      if (lane.drained) await this.#lanes.settle(lane, found.next, nowMs);
    } catch (error) {
      // The store is away: keepHidden gives the lane its next turn.
      lane.failLook(look);
      this.#deps.onProblem(error, lane.id);
      return;
    }
    this.#enqueue(lane);
    this.#serve();
  }

  #claimIn(lane: Lane, pending: PendingDelivery): Promise<void> {
    return this.#inPlace(lane, pending.id, async () => {
      const claim = async () => {
        if (this.#stopping) return;
        const claimed = await this.#deps.attempts.claim(pending.id, lane.limit);
        if (claimed === undefined) {
          if (lane.ordered) lane.lookAgain();
          return;
        }
        if (claimed !== 'held') {
          lane.aim(claimed);
          return attemptDelivery(lane, claimed, this.#attempting);
        }
        // Disabled or aimed elsewhere meanwhile: the lane is taken anew, with what its subscription says then.
        this.#lanes.giveUp(lane);
        await this.#lanes.markDue([lane.id]);
      };
      if (pending.crashes < suspectCrashes) return claim();
      // Suspects one at a time, also to be claimed: what dies with its worker by being in line says nothing of itself.
      const turn = this.#suspects.then(claim);
      this.#suspects = turn.catch(() => undefined);
      return turn;
    });
  }

  /** Does what a place was taken for, and gives the place back. */
  async #inPlace(lane: Lane, deliveryId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      lane.lookAgain();
      this.#deps.onProblem(error, deliveryId);
    }
    this.#leave(lane, deliveryId);
  }
}
