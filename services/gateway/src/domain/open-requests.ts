import { SigcastError } from '@sigcast/contracts';

export type OpenRequestsLimits = {
  /** Requests of one account that are open at once. */
  readonly perAccount: number;
  /** Requests from one client address that are open at once, over all accounts. */
  readonly perAddress: number;
};

/**
 * Bounds the requests that are open in this process: admitted, and their answer not yet taken whole. Streams are not
 * among them; they have a bound of their own.
 */
export class OpenRequests {
  readonly #limits: OpenRequestsLimits;
  readonly #accounts = new Map<string, number>();
  readonly #addresses = new Map<string, number>();

  constructor(limits: OpenRequestsLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a request as open until the function returned is called, once.
   * @throws {SigcastError} RATE_LIMIT_EXCEEDED when as many are open as may be.
   */
  enter(account: string, address: string): () => void {
    const ofAccount = this.#accounts.get(account) ?? 0;
    const ofAddress = this.#addresses.get(address) ?? 0;
    if (ofAccount >= this.#limits.perAccount) throw tooMany('account', ofAccount);
    if (ofAddress >= this.#limits.perAddress) throw tooMany('client address', ofAddress);
    this.#accounts.set(account, ofAccount + 1);
    this.#addresses.set(address, ofAddress + 1);
    return () => {
      leave(this.#accounts, account);
      leave(this.#addresses, address);
    };
  }
}

function leave(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 1) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}

function tooMany(whose: string, open: number): SigcastError {
  return new SigcastError(
    'RATE_LIMIT_EXCEEDED',
    `The ${whose} has ${open} requests open, and may have no more at once; try again in 1 s`,
    { retryAfterS: 1 },
  );
}
