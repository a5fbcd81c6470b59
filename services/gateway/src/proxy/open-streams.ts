import { SigcastError } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import type { StreamOpener, StreamPlaces } from '../domain/stream-opener.ts';

/** A stream's place among those of its account. */
export type StreamPlace = {
  /** Says how to end the stream. It is called at most once: at once, where the gateway has stopped already. */
  begin(end: () => void): void;
  /** Gives the place back. */
  release(): void;
};

type Open = { readonly opener: StreamOpener; end?: () => void };

/** Event streams that go through the gateway: it bounds them by account, and ends them. */
export class OpenStreams {
  readonly #places: StreamPlaces;
  readonly #maxPerAccount: number;
  readonly #open = new Map<string, Open>();
  /** Streams by account, in this process. */
  readonly #counts = new Map<string, number>();
  #over = false;

  /** `places` counts over all gateways. */
  constructor(places: StreamPlaces, maxPerAccount: number) {
    this.#places = places;
    this.#maxPerAccount = maxPerAccount;
  }

  /** A place for a stream that is about to be opened. @throws {SigcastError} CONFLICT when the account has as many as it may. */
  async take(opener: StreamOpener): Promise<StreamPlace> {
    const { account } = opener;
    const id = newId('str');
    const count = this.#counts.get(account) ?? 0;
    if (count >= this.#maxPerAccount) throw this.#tooMany();
    this.#counts.set(account, count + 1);
    this.#open.set(id, { opener });
    const release = () => {
      if (!this.#open.delete(id)) return;
      const left = (this.#counts.get(account) ?? 1) - 1;
      if (left > 0) this.#counts.set(account, left);
      else this.#counts.delete(account);
    };
    if (!(await this.#places.take(account, id, this.#maxPerAccount))) {
      release();
      throw this.#tooMany();
    }
    return {
      begin: (end) => {
        const open = this.#open.get(id);
        if (this.#over) end();
        else if (open !== undefined) open.end = end;
      },
      release: () => {
        release();
        void this.#places.giveBack(account, id);
      },
    };
  }

  /** By whom streams are open. */
  openers(): readonly StreamOpener[] {
    return [...this.#open.values()].map(({ opener }) => opener);
  }

  /** The ids of open streams, by account. */
  byAccount(): ReadonlyMap<string, readonly string[]> {
    const ids = new Map<string, string[]>();
    for (const [id, { opener }] of this.#open) {
      const own = ids.get(opener.account);
      if (own === undefined) ids.set(opener.account, [id]);
      else own.push(id);
    }
    return ids;
  }

  /** Ends the streams of one opener as the service would: its client goes on elsewhere, and hears there why it ended. */
  end(opener: StreamOpener): void {
    for (const open of this.#open.values()) if (open.opener === opener) open.end?.();
  }

  /** Ends all streams now, and those that still come as soon as they have begun. */
  endAll(): void {
    this.#over = true;
    for (const { end } of this.#open.values()) end?.();
  }

  #tooMany(): SigcastError {
    // Not a rate limit: no waiting brings a place, only the end of another stream.
    const message = `The account has ${this.#maxPerAccount} streams open, and may have no more at once: close one`;
    return new SigcastError('CONFLICT', message);
  }
}
