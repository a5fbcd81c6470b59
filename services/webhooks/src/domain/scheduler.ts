import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import type { OpenedDelivery, PendingDelivery } from './attempt-ports.ts';
import { AttemptSlots, type AttemptSlotsOptions, type DeliveryIds } from './attempt-slots.ts';
import { isCrashSuspected } from './delivery.ts';
import type { Lane } from './lane.ts';
import { queryLane } from './lane-query.ts';
import { WorkerLanes, type WorkerLanesDeps } from './worker-lanes.ts';

type SchedulerDeps = Omit<AttemptDeps, 'holdBack'> &
  WorkerLanesDeps &
  AttemptSlotsOptions & {
    readonly membership: { readonly alive: boolean };
    /** Called when the store failed; `what` names a delivery or subscriptions. */
    readonly onProblem: (error: unknown, what: string) => void;
  };

/**
 * Attempts the deliveries of the subscriptions that belong to this worker. It activates the lanes that are due or get a new
 * delivery ({@link WorkerLanes}), queries their due deliveries in batches, claims the deliveries and attempts them, each in a
 * slot ({@link AttemptSlots}). Lanes take turns, one delivery a turn. The store has a lease of each claimed delivery: no
 * other worker attempts it, and another worker reclaims it if this one dies.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #attempting: AttemptDeps;
  readonly #lanes: WorkerLanes;
  readonly #slots: AttemptSlots;
  /** Lanes that may have a delivery to begin, in the order of their turns. */
  readonly #queue = new Set<Lane>();
  /** Queries and attempts that are under way. */
  readonly #running = new Set<Promise<unknown>>();
  /** Ends when the last crash-suspected delivery in line has ended. */
  #crashSuspected: Promise<unknown> = Promise.resolve();
  #stopping = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#lanes = new WorkerLanes(deps, (lane) => this.#queue.delete(lane));
    this.#slots = new AttemptSlots(deps);
    this.#attempting = {
      ...deps,
      holdBack: (lane, untilMs) => this.#slots.holdBack(lane, untilMs),
      onAttempt: (claimed, ...attempt) => {
        deps.onAttempt(claimed, ...attempt);
        // The request has ended. Writing the outcome is no load for the host.
        for (const waiting of this.#slots.releaseHost(claimed.delivery.id)) this.#enqueue(waiting);
        this.#dispatch();
      },
    };
  }

  /**
   * Attempts under way, active lanes, open circuits, and since when the oldest delivery has been due that waits for this
   * worker. Deliveries that wait for their endpoints' limits do not count.
   */
  get state() {
    const lanes = this.#lanes.known;
    const oldest = lanes
      .filter((lane) => !lane.limit.open && this.#slots.laneAllows(lane) && this.#slots.hostAllows(lane))
      .reduce((least, { oldestDueAt }) => Math.min(least, oldestDueAt ?? least), Number.POSITIVE_INFINITY);
    return {
      attempts: this.#slots.used,
      lanes: this.#lanes.active.length,
      open: lanes.filter(({ limit }) => limit.open).length,
      oldestDueAt: oldest === Number.POSITIVE_INFINITY ? undefined : oldest,
    };
  }

  /** Whether a delivery holds a slot here: this worker has claimed it, or is about to. */
  hasSlot(deliveryId: string): boolean {
    return this.#slots.has(deliveryId);
  }

  /** Whether a subscription's lane belongs to this worker, which does not work on it. */
  isIdle(subscription: string, account: string): boolean {
    return this.#deps.membership.owns(account) && !this.#lanes.find(subscription)?.active;
  }

  /**
   * Activates the lanes that are due and belong to this worker, and goes on with lanes that waited.
   * @returns in how many milliseconds there is something to do again: 0 while something is due or under way, undefined where
   * nothing is known within `aheadMs`.
   * @throws what the store throws.
   */
  async poll(aheadMs = 0): Promise<number | undefined> {
    if (this.#stopping || !this.#deps.membership.alive) return undefined;
    this.#enqueueWaiting();
    const { lanes, dueInMs } = await this.#lanes.activateDue(aheadMs);
    for (const lane of lanes) this.#enqueue(lane);
    await this.#unblock();
    this.#dispatch();
    const nextMs = this.#lanes.active.reduce(
      (least, lane) => Math.min(least, lane.drained ? lane.nextDueMs - this.#deps.now() : 0),
      dueInMs ?? Number.POSITIVE_INFINITY,
    );
    return nextMs <= aheadMs ? Math.max(0, nextMs) : undefined;
  }

  /** To be called when it may have changed which lanes belong to this worker. @throws what the store throws. */
  review(): Promise<void> {
    return this.#lanes.review();
  }

  /**
   * Has deliveries that were just made attempted: by this worker where their lanes belong to it, otherwise by the worker that
   * finds their lanes marked as due. @throws what the store throws.
   */
  async notify(opened: readonly OpenedDelivery[]): Promise<void> {
    const isOwn = ({ recipient: { account, suspended } }: OpenedDelivery) =>
      !this.#stopping && !suspended && this.#deps.membership.owns(account);
    const others = opened.filter((one) => !isOwn(one)).map(({ recipient }) => recipient.id);
    const own = opened.filter(isOwn);
    const [lanes] = await Promise.all([
      this.#lanes.activate(own.map(({ recipient }) => recipient)),
      others.length > 0 && this.#deps.lanes.markDue(others),
    ]);
    lanes.forEach((lane, at) => {
      const pending = own[at]?.pending;
      if (pending) lane.add(pending);
      else lane.stale = true;
      this.#enqueue(lane);
    });
    // Released while the others were marked, maybe by a query of before these deliveries.
    const released = lanes.filter((lane) => !lane.active).map(({ id }) => id);
    if (released.length > 0) await this.#deps.lanes.markDue(released);
    // Lanes that this worker began to leave to others meanwhile.
    if (this.#stopping) await this.#lanes.markDue(this.#lanes.dropAll());
    this.#dispatch();
  }

  /** Drops all lanes, which belong to other workers now. Attempts under way go on, but their outcomes will be refused. */
  dropLanes(): void {
    this.#lanes.dropAll();
  }

  /** Begins nothing more, leaves the lanes to other workers, and resolves when each outcome of an attempt under way is written. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#lanes.markDue(this.#lanes.dropAll());
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #enqueue(lane: Lane): void {
    if (!this.#stopping && lane.active) this.#queue.add(lane);
  }

  /** Enqueues the blocked lanes that may go on. The fan-out watermark is read once for all of them, if any lane waits for it. */
  async #unblock(): Promise<void> {
    const blocked = this.#lanes.known.filter((lane) => lane.blocked);
    const anyWaitsForFeed = blocked.some((lane) => lane.blocked !== 'attempted');
    const watermark = anyWaitsForFeed ? await this.#deps.attempts.fanOutWatermark() : 0;
    for (const lane of blocked) if (lane.unblock(watermark, this.#deps.now())) this.#enqueue(lane);
  }

  /** Enqueues the lanes that may have something due, those that put events together, and those with open circuits whose next probe is due. */
  #enqueueWaiting(): void {
    const nowMs = this.#deps.now();
    for (const lane of this.#lanes.active) {
      const mayProbe = lane.limit.open && this.#slots.laneAllows(lane);
      // The next batch may have waited long enough.
      if (lane.wake(nowMs) || mayProbe || lane.batch !== undefined) this.#enqueue(lane);
    }
  }

  /** Begins one delivery of each queued lane in turn, while the worker has free slots. */
  #dispatch(): void {
    for (const lane of this.#queue) {
      if (this.#stopping || !this.#deps.membership.alive || this.#slots.full) return;
      this.#queue.delete(lane);
      if (this.#dispatchFrom(lane)) this.#queue.add(lane);
    }
  }

  /** Begins a delivery of a lane, or queries the lane. @returns whether the lane has more deliveries to begin. */
  #dispatchFrom(lane: Lane): boolean {
    if (!this.#deps.membership.owns(lane.account) || !this.#slots.laneAllows(lane)) return false;
    if (lane.gathers(this.#deps.now())) return false;
    if (!lane.hasReady && lane.needsQuery) this.#track(this.#query(lane));
    if (!lane.hasReady || !this.#slots.hostAllowsOrWaits(lane)) return false;
    const pending = lane.next();
    const [first, ...others] = pending;
    if (first === undefined) return false;
    // An event that comes twice at the same time makes its deliveries once and names them twice.
    if (this.#slots.has(first.id)) return lane.hasReady;
    const kept = lane.batch && first.batch;
    const ids: DeliveryIds = [first.id, ...(kept?.deliveries ?? others.map(({ id }) => id))];
    this.#slots.acquire(lane, ids);
    this.#track(this.#claimAndAttempt(lane, pending, ids));
    return lane.hasReady;
  }

  #releaseSlot(lane: Lane, ids: DeliveryIds): void {
    // The lanes that waited for the slot at the host come first.
    for (const waiting of this.#slots.release(lane, ids)) this.#enqueue(waiting);
    this.#enqueue(lane);
    this.#lanes.forgetIdle(lane);
    this.#dispatch();
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  /** Queries a lane's due deliveries. A drained lane is released. */
  async #query(lane: Lane): Promise<void> {
    const query = lane.beginQuery();
    try {
      const nowMs = this.#deps.now();
      const hasSlot = (id: string) => this.#slots.has(id);
      const found = await queryLane(lane, this.#deps.attempts, { nowMs, hasSlot });
      if (!lane.endQuery(query, found, nowMs)) return;
      if (lane.drained) await this.#lanes.release(lane, nowMs);
    } catch (error) {
      // The next poll enqueues the lane again.
      lane.failQuery(query);
      this.#deps.onProblem(error, lane.id);
      return;
    }
    this.#enqueue(lane);
    this.#dispatch();
  }

  #claimAndAttempt(lane: Lane, pending: readonly PendingDelivery[], ids: DeliveryIds): Promise<void> {
    const { attempts } = this.#deps;
    return this.#inSlot(lane, ids, async () => {
      const claim = async () => {
        if (this.#stopping) return;
        const [only] = pending;
        const claimed =
          lane.batch || only === undefined
            ? await attempts.claimBatch(pending, lane.limit)
            : await attempts.claim(only, lane.limit);
        if (claimed === undefined) return lane.invalidate();
        if (claimed !== 'deferred') {
          lane.setAddress(claimed);
          // The others that were listed come before what is listed still.
          if ((claimed.batch?.others.length ?? 0) + 1 < pending.length) lane.invalidate();
          return attemptDelivery(lane, claimed, this.#attempting);
        }
        // Its subscription has changed: the lane is activated anew, which reads the subscription again.
        this.#lanes.drop(lane);
        await this.#lanes.markDue([lane.id]);
      };
      if (!pending.some(isCrashSuspected)) return claim();
      // One crash-suspected delivery at a time is claimed, so that a crash does not count against those in line.
      const turn = this.#crashSuspected.then(claim);
      this.#crashSuspected = turn.catch(() => undefined);
      return turn;
    });
  }

  /** Does the work of deliveries that hold a slot, and releases the slot. */
  async #inSlot(lane: Lane, ids: DeliveryIds, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      lane.invalidate();
      this.#deps.onProblem(error, ids[0]);
    }
    this.#releaseSlot(lane, ids);
  }
}
