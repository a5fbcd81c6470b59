import type { IdentitySigner } from '@sigcast/http';

/** A token lives twice as long as it is handed out, so none expires on its way. */
const tokenTtlS = 60;
const reuseMs = 30_000;
/** Accounts whose tokens are kept; the one minted longest ago goes first. */
const maxTokens = 10_000;

/** Identity tokens by account, signed anew at most every 30 s: a signature costs more than the rest of a request. */
export class IdentityTokens {
  readonly #sign: IdentitySigner;
  readonly #clock: () => number;
  readonly #tokens = new Map<string, { token: string; mintedAtMs: number }>();

  constructor(sign: IdentitySigner, clock: () => number) {
    this.#sign = sign;
    this.#clock = clock;
  }

  tokenFor(account: string): string {
    const nowMs = this.#clock();
    const known = this.#tokens.get(account);
    if (known !== undefined && Math.abs(nowMs - known.mintedAtMs) < reuseMs) return known.token;
    const token = this.#sign({ subject: account, scopes: [], ttlS: tokenTtlS });
    this.#tokens.delete(account);
    this.#tokens.set(account, { token, mintedAtMs: nowMs });
    if (this.#tokens.size > maxTokens) {
      const [oldest] = this.#tokens.keys();
      if (oldest !== undefined) this.#tokens.delete(oldest);
    }
    return token;
  }
}
