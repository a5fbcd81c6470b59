/** Event streams that go through the gateway, which end when it stops. */
export class OpenStreams {
  readonly #ends = new Set<() => void>();
  #over = false;

  /** `end` is called when the gateway stops; at once, if it has. @returns what to call when the stream is over. */
  enter(end: () => void): () => void {
    if (this.#over) end();
    else this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  /** Ends all streams now, and those that still come as soon as they have begun. */
  endAll(): void {
    this.#over = true;
    for (const end of this.#ends) end();
  }
}
