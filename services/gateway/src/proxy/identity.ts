import type { IdentitySigner } from '@sigcast/http';
import { putBounded } from '../domain/bounded-map.ts';
import type { Upstream } from './upstream.ts';

/** Twice `reuseMs`, so that no token expires on its way to a service. */
const tokenTtlS = 60;
const reuseMs = 30_000;
/** Accounts whose tokens are cached. A full cache drops the oldest token. */
const maxTokens = 10_000;

/** One for each service, because no service accepts a token for another one. */
export type ServiceIdentities = Readonly<Record<Upstream['name'], IdentityTokens>>;

/** Caches one identity token of a service for each account for 30 s: a signature costs more than the rest of a request. */
export class IdentityTokens {
  readonly #sign: IdentitySigner;
  readonly #clock: () => number;
  readonly #tokens = new Map<string, { token: string; signedAtMs: number }>();

  constructor(sign: IdentitySigner, clock: () => number) {
    this.#sign = sign;
    this.#clock = clock;
  }

  /** `making`: how many webhooks the account may have, and whether they wait, for a request that makes one. */
  tokenFor(account: string, making?: { readonly webhooks: number; readonly unverified: boolean }): string {
    const nowMs = this.#clock();
    const name = making === undefined ? account : `${account} ${making.webhooks} ${making.unverified}`;
    const known = this.#tokens.get(name);
    if (known !== undefined && Math.abs(nowMs - known.signedAtMs) < reuseMs) return known.token;
    const token = this.#sign({
      subject: account,
      scopes: [],
      ttlS: tokenTtlS,
      ...making,
    });
    putBounded(this.#tokens, name, { token, signedAtMs: nowMs }, maxTokens);
    return token;
  }
}
