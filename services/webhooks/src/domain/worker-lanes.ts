import type { Address, LaneStore, Recipient } from './attempt-ports.ts';
import { holdMs, Lane } from './lane.ts';

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

/** A lane with nothing due is queried at least this often, in milliseconds, to find deliveries that a process left unmarked when it died. */
export const idleQueryMs = 600_000;
/** An endpoint's limit is forgotten when nothing was attempted for this long, in milliseconds. */
const forgetAfterMs = 600_000;
/** The most lanes that one poll activates. */
const pollBatch = 500;

/** The lanes of a worker: those that it works on, and those whose endpoints' limits differ from a new endpoint's. */
export class WorkerLanes {
  readonly #deps: WorkerLanesDeps;
  readonly #onDropped: (lane: Lane) => void;
  readonly #lanes = new Map<string, Lane>();
  /** The releases that are being written, by lane: one would overwrite a later mark that leaves the due time as it is. */
  readonly #releasing = new Map<string, Promise<void>>();

  /** `onDropped` is called for each lane that this worker no longer works on. */
  constructor(deps: WorkerLanesDeps, onDropped: (lane: Lane) => void) {
    this.#deps = deps;
    this.#onDropped = onDropped;
  }

  /** All known lanes, active or not. */
  get known(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  /** The lanes that this worker works on. */
  get active(): readonly Lane[] {
    return this.known.filter((lane) => lane.active);
  }

  /** The lane of a subscription, if it is known. */
  find(id: string): Lane | undefined {
    return this.#lanes.get(id);
  }

  /**
   * Activates the due lanes that belong to this worker.
   * @returns these lanes, or in how many milliseconds the next one is due, if that is within `aheadMs`.
   * @throws what the store throws.
   */
  async activateDue(
    aheadMs: number,
  ): Promise<{ readonly lanes: readonly Lane[]; readonly dueInMs: number | undefined }> {
    const owns = (account: string) => this.#deps.membership.owns(account);
    const until = this.#holdEnd();
    const options = { until, limit: pollBatch, aheadMs };
    const { postponed, nextDueAt } = await this.#deps.lanes.postponeDue(owns, options);
    const lanes = postponed.map(({ id, disabledAt, ...address }) => {
      const lane = this.#getOrMake(id, address);
      lane.setAddress(address, { current: true });
      lane.setOrder(address);
      lane.activate(until);
      lane.invalidate();
      lane.disabledAt = disabledAt;
      return lane;
    });
    return { lanes, dueInMs: nextDueAt && Math.max(0, nextDueAt.getTime() - this.#deps.now()) };
  }

  /**
   * Activates the lanes of recipients that belong to this worker, once the store says that they are due when the hold ends.
   * So another worker finds them if this one dies. A lane that was released meanwhile is not active.
   * @throws what the store throws.
   */
  async activate(recipients: readonly Recipient[]): Promise<readonly Lane[]> {
    const idle = new Set(recipients.map(({ id }) => id).filter((id) => !this.#lanes.get(id)?.active));
    await Promise.allSettled([...idle].flatMap((id) => this.#releasing.get(id) ?? []));
    const until = this.#holdEnd();
    if (idle.size > 0) await this.#deps.lanes.markDue([...idle], until);
    return recipients.map((recipient) => {
      const lane = this.#getOrMake(recipient.id, recipient);
      if (lane.active || !idle.has(lane.id)) return lane;
      lane.setAddress(recipient);
      lane.setOrder(recipient);
      lane.activate(until);
      return lane;
    });
  }

  /**
   * Leaves lanes that belong to other workers now to them, and forgets lanes that are not used any more.
   * @throws what the store throws.
   */
  async review(): Promise<void> {
    const nowMs = this.#deps.now();
    const others = this.active.filter(({ account }) => !this.#deps.membership.owns(account));
    for (const lane of others) this.drop(lane);
    if (others.length > 0) await this.#deps.lanes.markDue(others.map(({ id }) => id));
    for (const lane of this.known) {
      // It is due in the store, if its subscription still exists.
      if (lane.drained && lane.storedDueAt.getTime() < nowMs) this.drop(lane);
      const isUnused = !lane.active && lane.inFlight === 0;
      if (isUnused && nowMs - lane.usedAtMs > forgetAfterMs) this.#lanes.delete(lane.id);
    }
  }

  /** Drops a drained lane, and writes when it is due next. A mark that came meanwhile stays. */
  async release(lane: Lane, now: number): Promise<void> {
    // Spread at random: idle lanes that were queried together are not queried together again.
    const idleUntil = now + idleQueryMs * (0.5 + this.#deps.random() / 2);
    const next = Math.min(lane.nextDueMs, idleUntil);
    this.drop(lane);
    const releasing = this.#deps.lanes.release(lane.id, lane.storedDueAt, new Date(next));
    this.#releasing.set(lane.id, releasing);
    try {
      await releasing;
    } finally {
      if (this.#releasing.get(lane.id) === releasing) this.#releasing.delete(lane.id);
    }
  }

  /** Ends the work on a lane, without a write. */
  drop(lane: Lane): void {
    lane.deactivate();
    this.#onDropped(lane);
    this.forgetIdle(lane);
  }

  /** Drops all lanes. @returns the subscriptions whose lanes were active. */
  dropAll(): readonly string[] {
    const active = this.active.map(({ id }) => id);
    for (const lane of this.known) this.drop(lane);
    return active;
  }

  /** Forgets a lane that is idle, unless its endpoint's limit differs from the limit of a new endpoint. */
  forgetIdle(lane: Lane): void {
    if (this.#lanes.get(lane.id) !== lane) return;
    if (lane.inFlight === 0 && !lane.active && !lane.limit.changed) this.#lanes.delete(lane.id);
  }

  /** Marks lanes as due at once. Never rejects: a lane without its mark is due when its hold ends. */
  async markDue(subscriptions: readonly string[]): Promise<void> {
    if (subscriptions.length === 0) return;
    const failed = (error: unknown) => this.#deps.onProblem(error, subscriptions.join(' '));
    await this.#deps.lanes.markDue(subscriptions).catch(failed);
  }

  #getOrMake(id: string, address: Address): Lane {
    const known = this.#lanes.get(id);
    if (known) return known;
    const lane = new Lane(id, address, this.#deps.maxInFlight);
    this.#lanes.set(id, lane);
    return lane;
  }

  /** When a hold that begins now ends. In whole seconds, so that lanes that are marked together share a command. */
  #holdEnd(): Date {
    return new Date(Math.ceil((this.#deps.now() + holdMs) / 1_000) * 1_000);
  }
}
