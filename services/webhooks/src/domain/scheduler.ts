import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import type { Address, Claimed, PendingDelivery, Recipient } from './attempting.ts';
import { suspectCrashes } from './delivery.ts';
import { HostShares } from './host-shares.ts';
import { Lane } from './lane.ts';
import { type Look, lookInOrder } from './ordered-look.ts';

export type SchedulerDeps = AttemptDeps & {
  /** The most attempts under way at once at one subscription. */
  readonly maxInFlight: number;
  /** Attempts under way at once in all; a bound on memory. */
  readonly maxAttempts: number;
  readonly membership: { owns(account: string): boolean; readonly alive: boolean };
  /** Told of what could not be read or written; `what` names a delivery or subscription. */
  readonly onProblem: (error: unknown, what: string) => void;
};

/** Due deliveries of a lane that are looked up in one go. */
const lookUp = 100;
/** A lane in hand is hidden from other workers for this long after the last {@link Scheduler.keepHidden}. */
export const hiddenMs = 15_000;
/** Even a lane that has nothing due is looked at this often: what a process that died at the wrong moment forgot. */
export const idleLookMs = 600_000;
/** What is known of an endpoint is forgotten when nothing was attempted for this long. */
const forgetAfterMs = 600_000;
/** Lanes taken from the store in one go. */
const laneBatch = 500;

/**
 * Attempts the deliveries of the subscriptions that belong to this worker. MongoDB says which subscriptions have
 * something due. A subscription that is worked on is a lane: its due deliveries are looked up in batches, oldest first,
 * and attempted within the lane's own limit. Lanes take turns. A claimed delivery is leased to this worker, so what a dead
 * worker had in hand is known.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #attempting: AttemptDeps;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that may have something to begin, in the order of their turns. */
  readonly #turns = new Set<Lane>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #inHand = new Set<string>();
  readonly #hosts: HostShares;
  #suspects: Promise<unknown> = Promise.resolve();
  /** The hiding of lanes that goes on: until it is over, nobody knows when a lane comes due. */
  #hiding: Promise<unknown> = Promise.resolve();
  #underWay = 0;
  #stopping = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#hosts = new HostShares(deps.maxInFlight);
    this.#attempting = {
      ...deps,
      onAttempt: (claimed, ...attempt) => {
        deps.onAttempt(claimed, ...attempt);
        // Its host has answered, or never will: what is still to be written is no load for it.
        this.#leaveHost(claimed.delivery.id);
        this.#serve();
      },
    };
  }

  /** Attempts under way, lanes in hand, endpoints that only hang, and since when the oldest delivery here has been due. */
  get state() {
    const lanes = [...this.#lanes.values()];
    const oldest = lanes.reduce(
      (least, { limit, oldestDueAt }) => (limit.open ? least : Math.min(least, oldestDueAt ?? least)),
      Number.POSITIVE_INFINITY,
    );
    return {
      attempts: this.#underWay,
      lanes: lanes.filter(({ taken }) => taken).length,
      open: lanes.filter(({ limit }) => limit.open).length,
      oldestDueAt: oldest === Number.POSITIVE_INFINITY ? undefined : oldest,
    };
  }

  /** Deliveries that this worker has claimed, or is about to. */
  hasInHand(deliveryId: string): boolean {
    return this.#inHand.has(deliveryId);
  }

  /** Takes the lanes that are due and belong to this worker, and goes on with those that wait. @throws what the store throws. */
  async poll(): Promise<void> {
    if (this.#stopping || !this.#deps.membership.alive) return;
    this.#probe();
    const owns = (account: string) => this.#deps.membership.owns(account);
    const dueAt = new Date(this.#deps.now() + hiddenMs);
    for (const { id, disabledAt, ...address } of await this.#deps.lanes.takeDue(owns, dueAt, laneBatch)) {
      const lane = this.#lane(id, address);
      lane.aim(address, { now: true });
      lane.setOrdered(address.ordered);
      lane.taken = true;
      lane.stale = true;
      lane.dueAt = dueAt;
      lane.disabledAt = disabledAt;
      this.#enqueue(lane);
    }
    await this.#unblock();
    this.#serve();
  }

  /** Keeps the lanes in hand hidden from other workers, and gives up those that are theirs now. @throws as the store. */
  async keepHidden(): Promise<void> {
    const taken = [...this.#lanes.values()].filter((lane) => lane.taken);
    const [own, others] = [
      taken.filter(({ account }) => this.#deps.membership.owns(account)),
      taken.filter(({ account }) => !this.#deps.membership.owns(account)),
    ];
    for (const lane of others) this.#giveUp(lane);
    if (others.length > 0) await this.#deps.lanes.markDue(others.map(({ id }) => id));
    const nowMs = this.#deps.now();
    const dueAt = new Date(nowMs + hiddenMs);
    const hidden = own.filter(({ settling }) => !settling);
    const before = hidden.map((lane) => ({ id: lane.id, dueAt: lane.dueAt }));
    for (const lane of hidden) lane.dueAt = dueAt;
    const hiding = hidden.length > 0 ? this.#deps.lanes.hide(before, dueAt) : Promise.resolve();
    this.#hiding = hiding.catch(() => undefined);
    await hiding;
    for (const lane of own) this.#enqueue(lane);
    for (const lane of this.#lanes.values()) {
      const idle = !lane.taken && lane.inFlight === 0;
      if (idle && nowMs - lane.usedAtMs > forgetAfterMs) this.#lanes.delete(lane.id);
    }
    this.#serve();
  }

  /**
   * Takes a place for a delivery that is about to be made; `start` or `free` follows. False: there is none here, or
   * others of the subscription come first.
   */
  tryReserve(recipient: Recipient, deliveryId: string): boolean {
    if (this.#stopping || this.#underWay >= this.#deps.maxAttempts) return false;
    if (this.#inHand.has(deliveryId)) return false;
    if (!this.#deps.membership.owns(recipient.account)) return false;
    const known = this.#lanes.get(recipient.id);
    const lane = known?.taken ? known : this.#lane(recipient.id, recipient);
    if (
      recipient.ordered ||
      lane.ordered ||
      lane.hasBacklog ||
      (lane.taken && lane.url !== recipient.url) || // read before its address was changed
      !this.#allows(lane) ||
      !this.#hosts.allows(lane)
    ) {
      this.#forgetIdle(lane);
      return false;
    }
    this.#occupy(lane, deliveryId);
    return true;
  }

  /** Attempts a delivery that was claimed in a reserved place. */
  start(claimed: Claimed): void {
    const { subscription, account } = claimed.delivery;
    const lane = this.#lane(subscription, { ...claimed, account, ordered: false });
    this.#track(
      this.#inPlace(lane, claimed.delivery.id, () => attemptDelivery(lane, claimed, this.#attempting)),
    );
  }

  /** Gives a reserved place back without an attempt. */
  free(subscription: string, deliveryId: string): void {
    const lane = this.#lanes.get(subscription);
    if (lane) this.#leave(lane, deliveryId);
  }

  /** Whether the lane is in hand here, so that its new delivery is found without a mark in the store. */
  noticeDue(subscription: string): boolean {
    const lane = this.#lanes.get(subscription);
    if (!lane?.taken || lane.settling) return false;
    if (this.#stopping || !this.#deps.membership.owns(lane.account)) return false;
    lane.stale = true;
    this.#enqueue(lane);
    this.#serve();
    return true;
  }

  /** Drops what waits: it belongs to other workers now. Attempts under way go on; their outcomes will not count. */
  forget(): void {
    for (const lane of this.#lanes.values()) this.#giveUp(lane);
  }

  /** Begins nothing more, resolves when every attempt under way has its outcome written, and leaves the rest to others. */
  async close(): Promise<void> {
    this.#stopping = true;
    const taken = [...this.#lanes.values()].filter((lane) => lane.taken);
    for (const lane of taken) this.#giveUp(lane);
    await this.#markDue(taken.map(({ id }) => id));
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  /** Marks lanes as due at once. Never rejects: a lane that is not marked comes due by itself. */
  async #markDue(subscriptions: readonly string[]): Promise<void> {
    if (subscriptions.length === 0) return;
    const failed = (error: unknown) => this.#deps.onProblem(error, subscriptions.join(' '));
    await this.#deps.lanes.markDue(subscriptions).catch(failed);
  }

  #lane(id: string, address: Address): Lane {
    const known = this.#lanes.get(id);
    known?.aim(address);
    if (known) return known;
    const lane = new Lane(id, address, this.#deps.maxInFlight);
    this.#lanes.set(id, lane);
    return lane;
  }

  #allows(lane: Lane): boolean {
    if (lane.ordered && lane.inFlight > 0) return false;
    return lane.limit.allows(lane.inFlight, this.#deps.now());
  }

  /** A lane remembers its endpoint's limit for as long as it has anything to do, or its endpoint is in trouble. */
  #forgetIdle(lane: Lane): void {
    if (this.#lanes.get(lane.id) !== lane) return;
    if (lane.inFlight === 0 && !lane.taken && !lane.limit.differs) this.#lanes.delete(lane.id);
  }

  #giveUp(lane: Lane): void {
    lane.drop();
    this.#turns.delete(lane);
    this.#forgetIdle(lane);
  }

  #enqueue(lane: Lane): void {
    if (!this.#stopping && lane.taken) this.#turns.add(lane);
  }

  /** Lets blocked lanes be looked at that may go on. The feed is asked once for all, while any waits for it. */
  async #unblock(): Promise<void> {
    const blocked = [...this.#lanes.values()].filter((lane) => lane.blocked);
    const forFeed = blocked.some((lane) => lane.blocked !== 'attempted');
    const madeUpTo = forFeed ? await this.#deps.attempts.fannedOutUpTo() : 0;
    for (const lane of blocked) if (lane.unblock(madeUpTo, this.#deps.now())) this.#enqueue(lane);
  }

  /** Lanes whose circuits are open wait for the time of their next probe. */
  #probe(): void {
    for (const lane of this.#lanes.values()) {
      if (lane.taken && lane.limit.open && this.#allows(lane)) this.#enqueue(lane);
    }
  }

  /** Gives each lane in line a turn, one delivery a turn, while there is room. */
  #serve(): void {
    for (const lane of this.#turns) {
      if (this.#stopping || !this.#deps.membership.alive || this.#underWay >= this.#deps.maxAttempts) return;
      this.#turns.delete(lane);
      if (this.#giveTurn(lane)) this.#turns.add(lane);
    }
  }

  /** @returns whether the lane may have more to begin. */
  #giveTurn(lane: Lane): boolean {
    if (!this.#deps.membership.owns(lane.account) || !this.#allows(lane)) return false;
    if (!lane.hasReady && lane.needsLook) this.#track(this.#look(lane));
    if (!lane.hasReady || !this.#hosts.allowsOrWaits(lane)) return false;
    const pending = lane.next();
    if (pending === undefined) return false;
    this.#occupy(lane, pending.id);
    this.#track(this.#claimIn(lane, pending));
    return lane.hasReady;
  }

  #occupy(lane: Lane, deliveryId: string): void {
    lane.inFlight += 1;
    lane.usedAtMs = this.#deps.now();
    this.#underWay += 1;
    this.#inHand.add(deliveryId);
    this.#hosts.enter(lane, deliveryId);
  }

  #leave(lane: Lane, deliveryId: string): void {
    lane.inFlight -= 1;
    lane.usedAtMs = this.#deps.now();
    this.#underWay -= 1;
    this.#inHand.delete(deliveryId);
    this.#leaveHost(deliveryId);
    this.#enqueue(lane);
    this.#forgetIdle(lane);
    this.#serve();
  }

  /** Gives a delivery's place at its host back, if it has one still. Those that waited for it come first. */
  #leaveHost(deliveryId: string): void {
    for (const waiting of this.#hosts.leave(deliveryId)) this.#enqueue(waiting);
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** Looks up what a lane has due. One with nothing due, and nothing under way, goes back to the store. */
  async #look(lane: Lane): Promise<void> {
    const look = lane.beginLook();
    try {
      const now = this.#deps.now();
      const { due, next, complete, blocked } = await this.#find(lane, now);
      if (!lane.endLook(look, due, complete)) return;
      lane.block(blocked, now, next);
      if (lane.drained) await this.#settle(lane, next, now);
    } catch (error) {
      // The store is away: keepHidden gives the lane its next turn.
      lane.failLook(look);
      this.#deps.onProblem(error, lane.id);
      return;
    }
    this.#enqueue(lane);
    this.#serve();
  }

  async #find(lane: Lane, nowMs: number): Promise<Look> {
    const { attempts } = this.#deps;
    if (lane.ordered && !lane.disabledAt) {
      return lookInOrder(lane.id, attempts, { nowMs, limit: lookUp });
    }
    const found = await attempts.oldestPending(lane.id, { limit: lookUp, since: lane.disabledAt });
    const next = found.find(({ dueAt }) => dueAt.getTime() > nowMs)?.dueAt;
    return {
      due: found.filter(({ id, dueAt }) => dueAt.getTime() <= nowMs && !this.#inHand.has(id)),
      next,
      complete: found.length < lookUp || next !== undefined,
      blocked: undefined,
    };
  }

  /** Says in the store when the lane is due next; a mark that came meanwhile stays. */
  async #settle(lane: Lane, next: Date | undefined, now: number): Promise<void> {
    await this.#hiding;
    if (!lane.drained) return;
    // Not all at the same time: lanes that were looked at together would be for good.
    const idleUntil = now + idleLookMs * (0.5 + this.#deps.random() / 2);
    const [hiddenUntil, dueAt] = [lane.dueAt, new Date(Math.min(next?.getTime() ?? idleUntil, idleUntil))];
    lane.settling = true;
    try {
      await this.#deps.lanes.settle(lane.id, hiddenUntil, dueAt);
    } finally {
      lane.settling = false;
    }
    if (lane.dueAt === hiddenUntil) lane.dueAt = dueAt;
    // What has begun and ended meanwhile may have left something that this look did not see.
    if (lane.drained) this.#giveUp(lane);
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
        this.#giveUp(lane);
        await this.#markDue([lane.id]);
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
