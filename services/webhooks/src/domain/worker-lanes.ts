import type { Address, LaneStore } from './attempt-ports.ts';
import { Lane } from './lane.ts';

export type WorkerLanesDeps = {
  readonly lanes: LaneStore;
  readonly membership: { owns(account: string): boolean };
  /** The most attempts of one subscription at once. */
  readonly maxInFlight: number;
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  /** Called when marks could not be written; `what` names subscriptions. */
  readonly onProblem: (error: unknown, what: string) => void;
};

/** A lane is leased for this long from its claim and from each renewal, in milliseconds. */
export const laneLeaseMs = 15_000;
/** A lane with nothing due is queried at least this often, in milliseconds, to find deliveries that a process left unmarked when it died. */
export const idleQueryMs = 600_000;
/** An endpoint's limit is forgotten when nothing was attempted for this long, in milliseconds. */
const forgetAfterMs = 600_000;
/** The most lanes that are claimed at once. */
const claimBatch = 500;

/** The lanes of a worker: those that it has leased, and those whose endpoints' limits differ from a new endpoint's. */
export class WorkerLanes {
  readonly #deps: WorkerLanesDeps;
  readonly #onDropped: (lane: Lane) => void;
  readonly #lanes = new Map<string, Lane>();
  /** The renewal that is being written: until it ends, the stored due times of lanes are not known. */
  #renewing: Promise<unknown> = Promise.resolve();

  /** `onDropped` is called for each lane whose lease has ended in this worker. */
  constructor(deps: WorkerLanesDeps, onDropped: (lane: Lane) => void) {
    this.#deps = deps;
    this.#onDropped = onDropped;
  }

  /** All known lanes, leased or not. */
  get known(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  /** The lane of a subscription, if it is known. */
  find(id: string): Lane | undefined {
    return this.#lanes.get(id);
  }

  /** The lane of a subscription, which is made if it is not known. Sets the lane's address. */
  getOrMake(id: string, address: Address): Lane {
    const known = this.#lanes.get(id);
    known?.setAddress(address);
    if (known) return known;
    const lane = new Lane(id, address, this.#deps.maxInFlight);
    this.#lanes.set(id, lane);
    return lane;
  }

  /**
   * Leases the due lanes that belong to this worker.
   * @returns these lanes, or in how many milliseconds the next one is due, if that is within `aheadMs`.
   * @throws what the store throws.
   */
  async claimDue(
    aheadMs: number,
  ): Promise<{ readonly lanes: readonly Lane[]; readonly dueInMs: number | undefined }> {
    const owns = (account: string) => this.#deps.membership.owns(account);
    const dueAt = new Date(this.#deps.now() + laneLeaseMs);
    const options = { leaseEnd: dueAt, limit: claimBatch, aheadMs };
    const { leased, nextDueAt } = await this.#deps.lanes.claimDue(owns, options);
    const lanes = leased.map(({ id, disabledAt, ...address }) => {
      const lane = this.getOrMake(id, address);
      lane.setAddress(address, { current: true });
      lane.setOrdered(address.ordered);
      lane.leased = true;
      lane.stale = true;
      lane.storedDueAt = dueAt;
      lane.disabledAt = disabledAt;
      return lane;
    });
    return { lanes, dueInMs: nextDueAt && Math.max(0, nextDueAt.getTime() - this.#deps.now()) };
  }

  /**
   * Renews the leases of lanes, drops the lanes that belong to other workers now, and forgets lanes that were not used for
   * long. @returns the lanes that are still leased. @throws what the store throws.
   */
  async renewLeases(): Promise<readonly Lane[]> {
    const leased = this.known.filter((lane) => lane.leased);
    const isOwn = ({ account }: Lane) => this.#deps.membership.owns(account);
    const [own, others] = [leased.filter(isOwn), leased.filter((lane) => !isOwn(lane))];
    for (const lane of others) this.drop(lane);
    if (others.length > 0) await this.#deps.lanes.markDue(others.map(({ id }) => id));
    const nowMs = this.#deps.now();
    const dueAt = new Date(nowMs + laneLeaseMs);
    const renewed = own.filter(({ releasing }) => !releasing);
    const before = renewed.map((lane) => ({ id: lane.id, dueAt: lane.storedDueAt }));
    for (const lane of renewed) lane.storedDueAt = dueAt;
    const renewing = renewed.length > 0 ? this.#deps.lanes.renewLeases(before, dueAt) : Promise.resolve();
    this.#renewing = renewing.catch(() => undefined);
    await renewing;
    for (const lane of this.#lanes.values()) {
      const idle = !lane.leased && lane.inFlight === 0;
      if (idle && nowMs - lane.usedAtMs > forgetAfterMs) this.#lanes.delete(lane.id);
    }
    return own;
  }

  /** Releases a drained lane: writes when the lane is due `next`, and drops the lane. A mark that came meanwhile stays. */
  async release(lane: Lane, next: Date | undefined, now: number): Promise<void> {
    await this.#renewing;
    if (!lane.drained) return;
    // Spread at random: idle lanes that were queried together are not queried together again.
    const idleUntil = now + idleQueryMs * (0.5 + this.#deps.random() / 2);
    const [leaseEnd, dueAt] = [lane.storedDueAt, new Date(Math.min(next?.getTime() ?? idleUntil, idleUntil))];
    lane.releasing = true;
    try {
      await this.#deps.lanes.release(lane.id, leaseEnd, dueAt);
    } finally {
      lane.releasing = false;
    }
    if (lane.storedDueAt === leaseEnd) lane.storedDueAt = dueAt;
    // An attempt that began and ended meanwhile may have left a retry: then the lane is queried again.
    if (lane.drained) this.drop(lane);
  }

  /** Ends a lane's lease in this worker, without a write. */
  drop(lane: Lane): void {
    lane.endLease();
    this.#onDropped(lane);
    this.forgetIdle(lane);
  }

  /** Drops all lanes. @returns the subscriptions whose lanes were leased. */
  dropAll(): readonly string[] {
    const leased = this.known.filter((lane) => lane.leased).map(({ id }) => id);
    for (const lane of this.known) this.drop(lane);
    return leased;
  }

  /** Forgets a lane that is idle, unless its endpoint's limit differs from the limit of a new endpoint. */
  forgetIdle(lane: Lane): void {
    if (this.#lanes.get(lane.id) !== lane) return;
    if (lane.inFlight === 0 && !lane.leased && !lane.limit.changed) this.#lanes.delete(lane.id);
  }

  /** Marks lanes as due at once. Never rejects: a lane without its mark is due when its lease expires. */
  async markDue(subscriptions: readonly string[]): Promise<void> {
    if (subscriptions.length === 0) return;
    const failed = (error: unknown) => this.#deps.onProblem(error, subscriptions.join(' '));
    await this.#deps.lanes.markDue(subscriptions).catch(failed);
  }
}
