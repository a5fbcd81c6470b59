/** A subscription whose attempts hold their slots longer than this is slow, in milliseconds. */
export const slowAttemptMs = 1_000;
/** Subscriptions remembered as quick; forgetting one only makes it prove itself again. */
const maxRemembered = 100_000;

type Pace = 'quick' | 'unproven';

/**
 * Attempts under way, bounded per subscription and in all.
 *
 * A subscription is quick when its last attempt was, and unproven before its first one or when that was slow. All
 * unproven ones together get at most half of the slots: however many hang on every request, the other half comes free
 * again within the time of a quick attempt. One that hangs now and then counts as quick in between. Who finds no slot
 * free in all waits in line, and slots go to the two lines in turn.
 */
export class Slots {
  readonly #maxInFlight: number;
  readonly #maxAttempts: number;
  readonly #used = new Map<string, number>();
  /** Those that were quick last, the longest unused first. */
  readonly #quick = new Set<string>();
  readonly #lines = { quick: new Set<string>(), unproven: new Set<string>() };
  #total = 0;
  #unproven = 0;
  #turn: Pace = 'quick';

  constructor(bounds: { readonly maxInFlight: number; readonly maxAttempts: number }) {
    this.#maxInFlight = bounds.maxInFlight;
    this.#maxAttempts = bounds.maxAttempts;
  }

  /** Slots taken in all. */
  get used(): number {
    return this.#total;
  }

  /** Takes a slot; false when there is none. */
  occupy(subscription: string): boolean {
    const pace = this.#paceOf(subscription);
    if (this.#hasAllItsOwn(subscription) || !this.#hasRoom(pace)) return false;
    this.#count(subscription, pace, 1);
    return true;
  }

  /** Has a subscription that got no slot wait for one; not where it holds all of its own, which then go on with it. */
  waitInLine(subscription: string): void {
    if (!this.#hasAllItsOwn(subscription)) this.#lines[this.#paceOf(subscription)].add(subscription);
  }

  free(subscription: string): void {
    this.#count(subscription, this.#paceOf(subscription), -1);
  }

  /** Takes a slot for the next in line; undefined when nobody waits, or there is none. */
  occupyForNext(): string | undefined {
    for (;;) {
      const pace = ([this.#turn, other(this.#turn)] as const).find(
        (line) => this.#lines[line].size > 0 && this.#hasRoom(line),
      );
      if (pace === undefined) return undefined;
      const [next] = this.#lines[pace];
      if (next === undefined) return undefined;
      this.#lines[pace].delete(next);
      if (this.occupy(next)) {
        this.#turn = other(pace);
        return next;
      }
      // It has got all its slots meanwhile, or belongs into the other line now.
      this.waitInLine(next);
    }
  }

  /** Whether somebody waits in line for a slot such as this subscription holds. It then stands in line behind them. */
  giveWay(subscription: string): boolean {
    const pace = this.#paceOf(subscription);
    const wanted =
      this.#lines.quick.size > 0 ||
      (this.#lines.unproven.size > 0 && (pace === 'unproven' || this.#hasUnprovenLeft()));
    if (wanted) this.#lines[pace].add(subscription);
    return wanted;
  }

  /** Notes how long an attempt took, in milliseconds. */
  note(subscription: string, durationMs: number): void {
    const before = this.#paceOf(subscription);
    this.#quick.delete(subscription);
    if (durationMs <= slowAttemptMs) this.#quick.add(subscription);
    this.#moved(subscription, before);
    for (const oldest of this.#quick) {
      if (this.#quick.size <= maxRemembered) return;
      this.#quick.delete(oldest);
      this.#moved(oldest, 'quick');
    }
  }

  #moved(subscription: string, before: Pace): void {
    const pace = this.#paceOf(subscription);
    if (pace === before) return;
    this.#unproven += this.#usedBy(subscription) * (pace === 'unproven' ? 1 : -1);
  }

  #hasAllItsOwn(subscription: string): boolean {
    return this.#usedBy(subscription) >= this.#maxInFlight;
  }

  #usedBy(subscription: string): number {
    return this.#used.get(subscription) ?? 0;
  }

  #paceOf(subscription: string): Pace {
    return this.#quick.has(subscription) ? 'quick' : 'unproven';
  }

  #hasRoom(pace: Pace): boolean {
    return this.#total < this.#maxAttempts && (pace === 'quick' || this.#hasUnprovenLeft());
  }

  #hasUnprovenLeft(): boolean {
    return this.#unproven < Math.max(1, Math.floor(this.#maxAttempts / 2));
  }

  #count(subscription: string, pace: Pace, by: 1 | -1): void {
    const used = this.#usedBy(subscription) + by;
    if (used === 0) this.#used.delete(subscription);
    else this.#used.set(subscription, used);
    this.#total += by;
    if (pace === 'unproven') this.#unproven += by;
  }
}

function other(pace: Pace): Pace {
  return pace === 'quick' ? 'unproven' : 'quick';
}
