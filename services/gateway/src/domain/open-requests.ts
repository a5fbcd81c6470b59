import { SigcastError } from '@sigcast/contracts';

/** How many requests or streams may be open at once in this process. */
export type OpenLimits = {
  /** Of one account. */
  readonly perAccount: number;
  /** From one client address, over all accounts. */
  readonly perAddress: number;
};

/** Makes the error for a request above a limit. `open`: how many are open. */
export type TooMany = (whose: 'account' | 'client address', open: number) => SigcastError;

/**
 * Bounds the requests that are open in this process: admitted, and their answer not yet read completely. A second instance
 * counts the streams.
 */
export class OpenRequests {
  readonly #limits: OpenLimits;
  readonly #tooMany: TooMany;
  readonly #accounts = new Map<string, number>();
  readonly #addresses = new Map<string, number>();

  constructor(limits: OpenLimits, tooMany: TooMany = tooManyRequests) {
    this.#limits = limits;
    this.#tooMany = tooMany;
  }

  /**
   * Counts a request as open until the returned function is called. Call that function once. `perAccount` replaces the
   * limit of an account.
   * @throws {SigcastError} RATE_LIMIT_EXCEEDED, or the error of `tooMany`, when a limit is reached.
   */
  enter(account: string, address: string, perAccount = this.#limits.perAccount): () => void {
    const ofAccount = this.#accounts.get(account) ?? 0;
    const ofAddress = this.#addresses.get(address) ?? 0;
    if (ofAccount >= perAccount) throw this.#tooMany('account', ofAccount);
    if (ofAddress >= this.#limits.perAddress) throw this.#tooMany('client address', ofAddress);
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

function tooManyRequests(whose: string, open: number): SigcastError {
  return new SigcastError(
    'RATE_LIMIT_EXCEEDED',
    `The ${whose} has ${open} requests open, the most allowed at once; try again in 1 s`,
    { retryAfterS: 1 },
  );
}
