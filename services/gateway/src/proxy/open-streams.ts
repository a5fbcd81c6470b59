import { SigcastError } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { OpenRequests } from '../domain/open-requests.ts';
import type { StreamPrincipal, StreamSlots } from '../domain/stream-principal.ts';

/** A stream's slot among those of its account. */
export type StreamSlot = {
  /** Sets the function that ends the stream. It is called at most once: immediately, when the gateway is already stopping. */
  begin(end: () => void): void;
  release(): void;
};

type Open = { readonly principal: StreamPrincipal; end?: () => void };

/** The event streams that are open in this process. Bounds their number per account and per client address, and ends them. */
export class OpenStreams {
  readonly #slots: StreamSlots;
  /** Streams in this process, including those that are about to open. */
  readonly #counts: OpenRequests;
  readonly #open = new Map<string, Open>();
  /** The ids of open streams, by account. */
  readonly #ids = new Map<string, Set<string>>();
  #ended = false;

  /** `slots` counts the streams of an account over all gateways. */
  constructor(slots: StreamSlots, { perAddress }: { readonly perAddress: number }) {
    this.#slots = slots;
    this.#counts = new OpenRequests({ perAccount: 0, perAddress }, tooMany);
  }

  /**
   * Acquires the slot for a stream that is about to open from a client address. `quota`: how many streams the account may
   * have.
   * @throws {SigcastError} CONFLICT when the account or the address has the most streams allowed.
   */
  async acquire(principal: StreamPrincipal, address: string, quota: number): Promise<StreamSlot> {
    const { account } = principal;
    const id = newId('str');
    const leave = this.#counts.enter(account, address, quota);
    try {
      if (!(await this.#slots.acquire(account, id, quota))) {
        throw tooMany('account', quota);
      }
    } catch (error) {
      leave();
      throw error;
    }
    // Only now: a renewal of slots must not include a stream that was refused.
    this.#open.set(id, { principal });
    const ids = this.#ids.get(account) ?? new Set();
    this.#ids.set(account, ids.add(id));
    return {
      begin: (end) => {
        const open = this.#open.get(id);
        if (this.#ended) end();
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

  /** The key or session of each open stream. */
  principals(): readonly StreamPrincipal[] {
    return [...this.#open.values()].map(({ principal }) => principal);
  }

  /** The ids of open streams, by account. The map is live: it changes as streams open and end. */
  byAccount(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#ids;
  }

  /** Ends the streams of one principal with a complete answer. The client reconnects and then gets the error. */
  end(principal: StreamPrincipal): void {
    for (const open of this.#open.values()) if (open.principal === principal) open.end?.();
  }

  /** Ends all streams now, and each later stream as soon as it has begun. */
  endAll(): void {
    this.#ended = true;
    for (const { end } of this.#open.values()) end?.();
  }
}

/** CONFLICT and no rate limit: waiting does not free a slot, only the end of another stream does. */
function tooMany(whose: string, open: number): SigcastError {
  return new SigcastError(
    'CONFLICT',
    `The ${whose} has ${open} streams open, the most allowed: close one first`,
  );
}
