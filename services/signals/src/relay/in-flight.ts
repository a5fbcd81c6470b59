/** The signals whose events are being published, or removed from the outbox. Nobody else may publish events of these. */
export class InFlight {
  readonly #ids = new Set<string>();
  readonly #onRemove: () => void;

  /** `onRemove`: called each time signals are no longer in flight. */
  constructor(onRemove: () => void) {
    this.#onRemove = onRemove;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#ids.delete(id);
    this.#onRemove();
  }
}
