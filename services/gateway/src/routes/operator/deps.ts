import type { IdentityVerifier } from '@sigcast/http';
import type { ApiKeys } from '../../domain/api-key.ts';
import type { ChangeableAccounts, OperatorLog } from '../../domain/operator-log.ts';
import type { OperatorReads } from '../../domain/operator-reads.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Sessions } from '../../domain/sessions.ts';
import type { Throttle } from '../../domain/throttle.ts';

/** What the routes for operators need. */
export type OperatorDeps = {
  readonly accounts: ChangeableAccounts & {
    findPlan(name: string): Promise<Plan | undefined>;
  };
  readonly keys: Pick<ApiKeys, 'list'>;
  readonly reads: OperatorReads;
  readonly log: OperatorLog;
  readonly sessions: Pick<Sessions, 'isOpen'>;
  readonly throttle: Throttle;
  readonly verifyAccess: IdentityVerifier;
  /** Propagates a change of an account to every gateway. Never rejects: after a failure a gateway does it later. */
  readonly propagateAccount: (id: string) => Promise<void>;
  /**
   * Sends a GET to a service in the name of an operator and returns `data` of the answer; undefined where the settings name no
   * such service. @throws {SigcastError} SERVICE_UNAVAILABLE.
   */
  readonly askService: (
    service: 'signals' | 'webhooks' | 'scanner',
    path: string,
    operator: string,
  ) => Promise<unknown> | undefined;
  /** The gateway's own checks, as `/readyz` has them. */
  readonly checks: () => Promise<Readonly<Record<string, 'ok' | 'failing'>>>;
  readonly clock: () => number;
};
