import type { IdentitySigner, IdentityVerifier } from '@sigcast/http';
import type { Account, KeyListing } from '../../domain/accounts.ts';
import type { PasswordService } from '../../domain/password-service.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Sessions } from '../../domain/sessions.ts';
import type { Throttle } from '../../domain/throttle.ts';
import type { UsageDay } from '../../domain/usage-days.ts';

/** The accounts and keys that these routes need. All throw SERVICE_UNAVAILABLE when the store can't be asked. */
export type AccountRepository = {
  create(given: { email: string; passwordHash: string; plan: string }): Promise<Account | undefined>;
  find(idOrEmail: string): Promise<Account | undefined>;
  findWithPassword(email: string): Promise<{ account: Account; passwordHash: string } | undefined>;
  replacePassword(id: string, from: string, to: string): Promise<boolean>;
  findPlan(name: string): Promise<Plan | undefined>;
  /** @throws {SigcastError} CONFLICT when the account has the most keys allowed. */
  createKey(given: {
    account: string;
    name: string;
    environment: string;
    expiresAt: Date | null;
  }): Promise<KeyListing & { text: string }>;
  listKeys(account: string): Promise<KeyListing[]>;
  findKeys(prefix: string): Promise<KeyListing[]>;
  revokeKey(sha256: string): Promise<KeyListing | undefined>;
  expireKey(sha256: string, at: Date): Promise<void>;
};

export type AccountDeps = {
  readonly accounts: AccountRepository;
  readonly sessions: Sessions;
  readonly passwords: PasswordService;
  readonly throttle: Throttle;
  readonly signAccess: IdentitySigner;
  readonly verifyAccess: IdentityVerifier;
  /** Propagates a change of a key to every gateway. False when that fails now; a gateway then does it later. */
  readonly propagateKey: (key: KeyListing) => Promise<boolean>;
  readonly usage: {
    /** The last days, oldest first. */
    read(account: string, days: number): Promise<UsageDay[]>;
    /** Requests admitted today; undefined while the counters are unavailable. */
    usedToday(account: string): Promise<number | undefined>;
  };
  readonly clock: () => number;
  /** Whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be trusted. */
  readonly trustProxy: boolean;
};
