/** A second factor that is on. */
export type SecondFactor = {
  /** Another one, after it was switched off and on, has another id. */
  readonly id: string;
  readonly since: Date;
  readonly recoveryCodesLeft: number;
};

/** A code that was right, and is used up. */
export type UsedCode = {
  /** Undefined for a code of the app. */
  readonly recovery?: {
    /** How many recovery codes are left. */
    readonly left: number;
    /** Makes the recovery code valid again. False where the codes have changed since. */
    giveBack(): Promise<boolean>;
  };
};

/**
 * Second factors of accounts: codes of an authenticator app (RFC 6238), and recovery codes. All throw SERVICE_UNAVAILABLE when the
 * store can't be asked.
 */
export type SecondFactors = {
  find(account: string): Promise<SecondFactor | undefined>;
  /** Makes a seed that is not valid yet, in place of one before. Undefined where the factor is on. */
  begin(account: string): Promise<string | undefined>;
  /**
   * Switches the factor on by the first code of the new seed.
   * @returns `nothing` where none was begun within an hour, `wrong` for another code.
   */
  confirm(
    account: string,
    code: string,
    recoveryCodes: readonly string[],
  ): Promise<SecondFactor | 'nothing' | 'wrong'>;
  /** Uses up a code: the same code, and an older one of the app, is not right again. Undefined for a code that is not right. */
  use(account: string, code: string): Promise<UsedCode | undefined>;
  /** False where the factor is off. */
  replaceRecoveryCodes(account: string, recoveryCodes: readonly string[]): Promise<boolean>;
  /** False where the factor is off. */
  end(account: string): Promise<boolean>;
};
