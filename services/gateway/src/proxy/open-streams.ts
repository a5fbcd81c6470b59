import { SigcastError } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { type OpenLimits, OpenRequests } from '../domain/open-requests.ts';
import type { StreamPrincipal, StreamSlots } from '../domain/stream-principal.ts';

/** A stream's slot among those of its account. */
export type StreamSlot = {
  /** Says how to end the stream. It is called at most once: at once, where the gateway has stopped already. */
  begin(end: () => void): void;
  /** Gives the slot back. */
  release(): void;
};

type Open = { readonly principal: StreamPrincipal; end?: () => void };

/** Event streams that go through the gateway: it bounds them by account and client address, and ends them. */
export class OpenStreams {
  readonly #slots: StreamSlots;
  readonly #maxPerAccount: number;
  /** In this process, those that are about to be opened among them. */
  readonly #counts: OpenRequests;
  readonly #open = new Map<string, Open>();
  /** The ids of those that are open, by account. */
  readonly #ids = new Map<string, Set<string>>();
  #over = false;

  /** `slots` counts those of an account over all gateways. */
  constructor(slots: StreamSlots, limits: OpenLimits) {
    this.#slots = slots;
    this.#maxPerAccount = limits.perAccount;
    this.#counts = new OpenRequests(limits, tooMany);
  }

  /**
   * A slot for a stream that is about to be opened, from a client address.
   * @throws {SigcastError} CONFLICT when the account or the address has as many as it may.
   */
  async acquire(principal: StreamPrincipal, address: string): Promise<StreamSlot> {
    const { account } = principal;
    const id = newId('str');
    const leave = this.#counts.enter(account, address);
    try {
      if (!(await this.#slots.acquire(account, id, this.#maxPerAccount))) {
        throw tooMany('account', this.#maxPerAccount);
      }
    } catch (error) {
      leave();
      throw error;
    }
    // Not before: a renewal would put back what was refused.
    this.#open.set(id, { principal });
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
        void this.#slots.release(account, id);
      },
    };
  }

  /** By whom streams are open. */
  principals(): readonly StreamPrincipal[] {
    return [...this.#open.values()].map(({ principal }) => principal);
  }

  /** The ids of open streams, by account; what is returned changes with them. */
  byAccount(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#ids;
  }

  /** Ends the streams of one principal as the service would: its client goes on elsewhere, and hears there why it ended. */
  end(principal: StreamPrincipal): void {
    for (const open of this.#open.values()) if (open.principal === principal) open.end?.();
  }

  /** Ends all streams now, and those that still come as soon as they have begun. */
  endAll(): void {
    this.#over = true;
    for (const { end } of this.#open.values()) end?.();
  }
}

/** Not a rate limit: no waiting brings a slot, only the end of another stream. */
function tooMany(whose: string, open: number): SigcastError {
  return new SigcastError(
    'CONFLICT',
    `The ${whose} has ${open} streams open, the most allowed: close one first`,
  );
}
