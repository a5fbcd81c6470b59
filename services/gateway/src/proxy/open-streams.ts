import { SigcastError } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { type OpenLimits, OpenRequests } from '../domain/open-requests.ts';
import type { StreamOpener, StreamPlaces } from '../domain/stream-opener.ts';

/** A stream's place among those of its account. */
export type StreamPlace = {
  /** Says how to end the stream. It is called at most once: at once, where the gateway has stopped already. */
  begin(end: () => void): void;
  /** Gives the place back. */
  release(): void;
};

type Open = { readonly opener: StreamOpener; end?: () => void };

/** Event streams that go through the gateway: it bounds them by account and client address, and ends them. */
export class OpenStreams {
  readonly #places: StreamPlaces;
  readonly #maxPerAccount: number;
  /** In this process, those that are about to be opened among them. */
  readonly #counts: OpenRequests;
  readonly #open = new Map<string, Open>();
  /** The ids of those that are open, by account. */
  readonly #ids = new Map<string, Set<string>>();
  #over = false;

  /** `places` counts those of an account over all gateways. */
  constructor(places: StreamPlaces, limits: OpenLimits) {
    this.#places = places;
    this.#maxPerAccount = limits.perAccount;
    this.#counts = new OpenRequests(limits, tooMany);
  }

  /**
   * A place for a stream that is about to be opened, from a client address.
   * @throws {SigcastError} CONFLICT when the account or the address has as many as it may.
   */
  async take(opener: StreamOpener, address: string): Promise<StreamPlace> {
    const { account } = opener;
    const id = newId('str');
    const leave = this.#counts.enter(account, address);
    try {
      if (!(await this.#places.take(account, id, this.#maxPerAccount))) {
        throw tooMany('account', this.#maxPerAccount);
      }
    } catch (error) {
      leave();
      throw error;
    }
    // Not before: a renewal would put back what was refused.
    this.#open.set(id, { opener });
    const ids = this.#ids.get(account) ?? new Set();
    this.#ids.set(account, ids.add(id));
    return {
      begin: (end) => {
        const open = this.#open.get(id);
        if (this.#over) end();
        else if (open !== undefined) open.end = end;
      },
      release: () => {
        if (!this.#open.delete(id)) return;
        leave();
        ids.delete(id);
        if (ids.size === 0) this.#ids.delete(account);
        void this.#places.giveBack(account, id);
      },
    };
  }

  /** By whom streams are open. */
  openers(): readonly StreamOpener[] {
    return [...this.#open.values()].map(({ opener }) => opener);
  }

  /** The ids of open streams, by account; what is returned changes with them. */
  byAccount(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#ids;
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
}

/** Not a rate limit: no waiting brings a place, only the end of another stream. */
function tooMany(whose: string, open: number): SigcastError {
  return new SigcastError(
    'CONFLICT',
    `The ${whose} has ${open} streams open, the most allowed: close one first`,
  );
}
