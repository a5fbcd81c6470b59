import type { AccountExport } from '@sigcast/contracts';
import type { IdentitySigner, IdentityVerifier } from '@sigcast/http';
import type { AccountRepository } from '../../domain/accounts.ts';
import type { ApiKeys } from '../../domain/api-key.ts';
import type { AuditLog } from '../../domain/audit.ts';
import type { LinkTokens } from '../../domain/link-tokens.ts';
import type { TellHolder } from '../../domain/mail/security-mail.ts';
import type { Mails } from '../../domain/mail/sending.ts';
import type { MailSettingsStore } from '../../domain/mail/settings.ts';
import type { Members } from '../../domain/members.ts';
import type { PasskeyChallenges } from '../../domain/passkey-challenges.ts';
import type { Passkeys } from '../../domain/passkeys.ts';
import type { PasswordService } from '../../domain/password-service.ts';
import type { Plan } from '../../domain/plan.ts';
import type { RequestReads } from '../../domain/request-log.ts';
import type { SecondFactors } from '../../domain/second-factors.ts';
import type { Sessions } from '../../domain/sessions.ts';
import type { Throttle } from '../../domain/throttle.ts';
import type { UsageBy, UsageDay } from '../../domain/usage-days.ts';

export type AccountDeps = {
  readonly accounts: AccountRepository;
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly challenges: PasskeyChallenges;
  readonly passwords: PasswordService;
  readonly members: Members;
  readonly audit: AuditLog;
  /** The e-mail addresses of accounts, by id; without those that are deleted. */
  readonly emailsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly throttle: Throttle;
  readonly signAccess: IdentitySigner;
  readonly verifyAccess: IdentityVerifier;
  /** Sign and verify the cookies of devices that have signed in before. */
  readonly signDevice: IdentitySigner;
  readonly verifyDevice: IdentityVerifier;
  /** Propagates the changes of an account's keys to every gateway. False when that fails now; a gateway then does it later. */
  readonly propagate: (account: string) => Promise<boolean>;
  readonly usage: {
    /** The last days, oldest first. */
    read(account: string, days: number, by?: UsageBy): Promise<UsageDay[]>;
    /** Requests admitted today; undefined while the counters are unavailable. */
    usedToday(account: string): Promise<number | undefined>;
  };
  readonly requests: Pick<RequestReads, 'page'>;
  readonly mail: {
    readonly settings: MailSettingsStore;
    /** Adds a mail; undefined where this server sends none. */
    readonly add: Mails['add'] | undefined;
  };
  /** What an account has at other services; null where they do not answer. */
  readonly ownedBy: {
    webhooks(account: string): Promise<AccountExport['webhooks']>;
    backtests(account: string): Promise<AccountExport['backtests']>;
  };
  readonly tokens: LinkTokens;
  /** Whether signing up takes the address alone, and a mail leads on. */
  readonly confirmsSignUps: boolean;
  /** Whether a password is one that attackers try first. */
  readonly isCommonPassword: (password: string) => boolean;
  readonly tellHolder: TellHolder;
  /** Whether the webhooks of new accounts wait until the e-mail address is verified. */
  readonly verifiesEmail: boolean;
  /** The plan of new accounts. */
  readonly readPlan: () => Promise<Plan | undefined>;
  /** Accounts that all clients together can make in an hour. */
  readonly signUpsPerHour: number;
  readonly clock: () => number;
  /** Whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be trusted. */
  readonly trustProxy: boolean;
  /** The gateway's public URL. */
  readonly publicUrl: string | undefined;
};
