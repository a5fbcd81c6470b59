import type { Address, LaneStore } from './attempting.ts';
import { Lane } from './lane.ts';

export type LanesInHandDeps = {
  readonly lanes: LaneStore;
  readonly membership: { owns(account: string): boolean };
  /** The most attempts under way at once at one subscription. */
  readonly maxInFlight: number;
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  /** Told of what could not be written; `what` names subscriptions. */
  readonly onProblem: (error: unknown, what: string) => void;
};

/** A lane in hand is hidden from other workers for this long after the last {@link LanesInHand.keepHidden}. */
export const hiddenMs = 15_000;
/** Even a lane that has nothing due is looked at this often: what a process that died at the wrong moment forgot. */
export const idleLookMs = 600_000;
/** What is known of an endpoint is forgotten when nothing was attempted for this long. */
const forgetAfterMs = 600_000;
/** Lanes taken from the store in one go. */
const laneBatch = 500;

/**
 * The lanes that a worker knows: those that it has in hand, taken from the store and hidden there from other workers, and
 * those whose endpoints it has to remember.
 */
export class LanesInHand {
  readonly #deps: LanesInHandDeps;
  readonly #onGivenUp: (lane: Lane) => void;
  readonly #lanes = new Map<string, Lane>();
  /** The hiding of lanes that goes on: until it is over, nobody knows when a lane comes due. */
  #hiding: Promise<unknown> = Promise.resolve();

  /** `onGivenUp` is told of each lane that is in hand no more. */
  constructor(deps: LanesInHandDeps, onGivenUp: (lane: Lane) => void) {
    this.#deps = deps;
    this.#onGivenUp = onGivenUp;
  }

  /** All that are known, in hand or not. */
  get known(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  /** The lane of a subscription, if it is known. */
  find(id: string): Lane | undefined {
    return this.#lanes.get(id);
  }

  /** The lane of a subscription, known from now on. */
  at(id: string, address: Address): Lane {
    const known = this.#lanes.get(id);
    known?.aim(address);
    if (known) return known;
    const lane = new Lane(id, address, this.#deps.maxInFlight);
    this.#lanes.set(id, lane);
    return lane;
  }

  /** Takes lanes in hand that are due and belong to this worker. @returns them. @throws what the store throws. */
  async take(): Promise<readonly Lane[]> {
    const owns = (account: string) => this.#deps.membership.owns(account);
    const dueAt = new Date(this.#deps.now() + hiddenMs);
    const due = await this.#deps.lanes.takeDue(owns, dueAt, laneBatch);
    return due.map(({ id, disabledAt, ...address }) => {
      const lane = this.at(id, address);
      lane.aim(address, { now: true });
      lane.setOrdered(address.ordered);
      lane.taken = true;
      lane.stale = true;
      lane.dueAt = dueAt;
      lane.disabledAt = disabledAt;
      return lane;
    });
  }

  /**
   * Keeps lanes in hand hidden from other workers, gives up those that are theirs now, and forgets what was not used for
   * long. @returns those that stay in hand. @throws what the store throws.
   */
  async keepHidden(): Promise<readonly Lane[]> {
    const taken = this.known.filter((lane) => lane.taken);
    const [own, others] = [
      taken.filter(({ account }) => this.#deps.membership.owns(account)),
      taken.filter(({ account }) => !this.#deps.membership.owns(account)),
    ];
    for (const lane of others) this.giveUp(lane);
    if (others.length > 0) await this.#deps.lanes.markDue(others.map(({ id }) => id));
    const nowMs = this.#deps.now();
    const dueAt = new Date(nowMs + hiddenMs);
    const hidden = own.filter(({ settling }) => !settling);
    const before = hidden.map((lane) => ({ id: lane.id, dueAt: lane.dueAt }));
    for (const lane of hidden) lane.dueAt = dueAt;
    const hiding = hidden.length > 0 ? this.#deps.lanes.hide(before, dueAt) : Promise.resolve();
    this.#hiding = hiding.catch(() => undefined);
    await hiding;
    for (const lane of this.#lanes.values()) {
      const idle = !lane.taken && lane.inFlight === 0;
      if (idle && nowMs - lane.usedAtMs > forgetAfterMs) this.#lanes.delete(lane.id);
    }
    return own;
  }

  /** Says in the store when a drained lane is due next, and gives it up; a mark that came meanwhile stays. */
  async settle(lane: Lane, next: Date | undefined, now: number): Promise<void> {
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
    if (lane.drained) this.giveUp(lane);
  }

  /** Drops what waits in a lane, which others may take. */
  giveUp(lane: Lane): void {
    lane.drop();
    this.#onGivenUp(lane);
    this.forgetIdle(lane);
  }

  /** Gives all up. @returns the subscriptions whose lanes were in hand. */
  giveUpAll(): readonly string[] {
    const taken = this.known.filter((lane) => lane.taken).map(({ id }) => id);
    for (const lane of this.known) this.giveUp(lane);
    return taken;
  }

  /** A lane remembers its endpoint's limit for as long as it has anything to do, or its endpoint is in trouble. */
  forgetIdle(lane: Lane): void {
    if (this.#lanes.get(lane.id) !== lane) return;
    if (lane.inFlight === 0 && !lane.taken && !lane.limit.differs) this.#lanes.delete(lane.id);
  }

  /** Marks lanes as due at once. Never rejects: a lane that is not marked comes due by itself. */
  async markDue(subscriptions: readonly string[]): Promise<void> {
    if (subscriptions.length === 0) return;
    const failed = (error: unknown) => this.#deps.onProblem(error, subscriptions.join(' '));
    await this.#deps.lanes.markDue(subscriptions).catch(failed);
  }
}
