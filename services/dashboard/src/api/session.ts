import { Sigcast } from '@sigcast/client';
import type { AccountView, LinkMailView, Session as SessionAnswer } from '@sigcast/contracts';
import { type Answer, ApiError, type Method, refusedAs, type SendOptions, send } from './http.ts';

export type SessionState =
  | { readonly status: 'starting' }
  /** `ended`: the session ended without the holder signing out, so the page says so. */
  | { readonly status: 'signed-out'; readonly ended: boolean }
  /** The service did not answer; trying again may help. */
  | { readonly status: 'unreachable'; readonly reason: string }
  | { readonly status: 'signed-in'; readonly account: AccountView };

/** How long before its end an access token is renewed, so that no request is refused for it. */
const renewBeforeMs = 30_000;
/** Key in local storage while this browser has a session: without it, no request asks for one. */
const hintKey = 'sigcast-session';
/**
 * Key in session storage: this tab's access token and its account, so that reloading the page neither renews the session
 * nor waits for an answer.
 */
const tokenKey = 'sigcast-access';

/** Queries retry by themselves, and the browser ends requests that take too long: also those of a tab that has slept. */
const browserLimits = { maxRetries: 0, timeoutMs: 86_400_000, attemptTimeoutMs: 86_400_000 };

/** The message between tabs: who has signed in, or that nobody is signed in any more. */
type TabMessage = { readonly account: string | null };

type AccessToken = {
  readonly text: string;
  readonly goodUntilMs: number;
  readonly account: AccountView;
};

/**
 * The account holder's session in this tab. The access token is kept by the tab for its ten minutes; the refresh token
 * is in a cookie that no script can read. Other tabs hear when a session begins or ends.
 */
export class Session {
  #state: SessionState = { status: 'starting' };
  #token: AccessToken | undefined = keptToken();
  #renewing: Promise<string> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #tabs = new BroadcastChannel('sigcast-session');

  constructor() {
    this.#tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      if (data.account === null) this.#forget(false);
      else if (data.account !== this.#accountId) this.#follow();
    };
  }

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Resumes the session that this browser has, if any. */
  async start(): Promise<void> {
    if (!Session.isExpected()) {
      this.#set({ status: 'signed-out', ended: false });
      return;
    }
    const account = this.#isGood() ? this.#token?.account : undefined;
    // Pages load their data at once; meanwhile a request asks whether the account has changed.
    if (account !== undefined && this.#state.status === 'starting')
      this.#set({ status: 'signed-in', account });
    await this.#resume();
  }

  /** Whether this browser has a session, as far as it knows without asking. */
  static isExpected(): boolean {
    return localStorage.getItem(hintKey) !== null;
  }

  /** Does not look into local storage, where an entry that another tab just wrote may not be visible yet. */
  async #resume(): Promise<void> {
    try {
      // Renewing tells whose session it is.
      if (!this.#isGood()) await this.#renew();
      else this.#know((await this.call<AccountView>('GET', '/account')).data);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const { status } = this.#state;
      // The page that is shown reports its own failed requests.
      if (status === 'starting' || status === 'unreachable') this.#set({ status: 'unreachable', reason });
    }
  }

  async signUp(credentials: { email: string; password: string }): Promise<void> {
    this.#enter((await send<SessionAnswer>('POST', '/account', { body: credentials })).data);
  }

  /** Asks for the mail that leads to a new account. @returns where it goes. */
  async askToSignUp(email: string): Promise<string> {
    return (await send<LinkMailView>('POST', '/account', { body: { email } })).data.email;
  }

  /** Creates an account by the token of a mail's link, and signs in. */
  async confirmSignUp(body: { token: string; password: string }): Promise<void> {
    this.#enter((await send<SessionAnswer>('POST', '/account/sign-up/confirm', { body })).data);
  }

  /** Sets a new password by the token of a mail's link, and signs in. */
  async resetPassword(body: {
    token: string;
    password: string;
    revoke_access: boolean;
    code?: string;
  }): Promise<void> {
    this.#enter((await send<SessionAnswer>('POST', '/account/password/reset', { body })).data);
  }

  /** Confirms an e-mail address by the token of a mail's link. @returns the address. */
  async confirmEmail(token: string): Promise<string> {
    const { data } = await this.call<LinkMailView>('POST', '/account/email/confirm', { body: { token } });
    await this.refreshAccount();
    return data.email;
  }

  /** Reads the account again, which has changed. */
  async refreshAccount(): Promise<void> {
    this.#know((await this.call<AccountView>('GET', '/account')).data);
  }

  async deleteAccount(body: { current_password: string; code?: string }): Promise<void> {
    await this.call('DELETE', '/account', { body });
    this.#tell({ account: null });
    this.#forget(false);
  }

  async signIn(credentials: { email: string; password: string; code?: string }): Promise<void> {
    await this.signInAt('/account/session', credentials);
  }

  /** Begins a session by what the route of this path takes. @throws {ApiError} */
  async signInAt(path: string, body: unknown): Promise<void> {
    this.#enter((await send<SessionAnswer>('POST', path, { body })).data);
  }

  async changePassword(body: {
    current_password: string;
    new_password: string;
    revoke_access: boolean;
    code?: string;
  }): Promise<void> {
    this.#begin((await this.call<SessionAnswer>('POST', '/account/password', { body })).data);
  }

  /** Acts for another account from now on, in every tab. @throws {ApiError} */
  async switchAccount(account: string): Promise<void> {
    const body = { account };
    this.#enter((await this.call<SessionAnswer>('POST', '/account/session/switch', { body })).data);
  }

  async signOut(): Promise<void> {
    await send('DELETE', '/account/session');
    this.#tell({ account: null });
    this.#forget(false);
  }

  /** Sends a request as the account. @throws {ApiError} */
  async call<T>(method: Method, path: string, options: Omit<SendOptions, 'token'> = {}): Promise<Answer<T>> {
    return this.authorised((token) => send<T>(method, path, { ...options, token }));
  }

  /** Asks the API as the account, by its client. @throws {ApiError} */
  async ask<T>(work: (api: Sigcast) => Promise<T>): Promise<T> {
    const options = { baseUrl: location.origin, ...browserLimits };
    return this.authorised((apiKey) => work(new Sigcast({ ...options, apiKey })).catch(refusedAs));
  }

  /**
   * Does something with an access token, and once more with a newer one if the token is refused. Not if another account has
   * signed in meanwhile.
   * @throws {ApiError}
   */
  async authorised<T>(work: (token: string) => Promise<T>): Promise<T> {
    const account = this.#accountId;
    const token = await this.#goodToken();
    this.#requireSame(account);
    try {
      return await work(token);
    } catch (error) {
      // Not where a code is asked for: the token is good.
      if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') throw error;
      // If another request has renewed the token meanwhile, that token will do.
      const newer = this.#token?.text;
      const next = newer !== undefined && newer !== token ? newer : await this.#renew();
      this.#requireSame(account);
      return work(next);
    }
  }

  get #accountId(): string | undefined {
    return this.#state.status === 'signed-in' ? this.#state.account.id : undefined;
  }

  #requireSame(account: string | undefined): void {
    if (account === undefined || account === this.#accountId) return;
    throw new ApiError(401, {
      code: 'UNAUTHORIZED',
      message: 'This browser is now signed in with another account',
    });
  }

  async #goodToken(): Promise<string> {
    return this.#token !== undefined && this.#isGood() ? this.#token.text : this.#renew();
  }

  #isGood(): boolean {
    return this.#token !== undefined && this.#token.goodUntilMs > Date.now();
  }

  #renew(): Promise<string> {
    this.#renewing ??= alone(() =>
      send<SessionAnswer>('POST', '/account/session/refresh', { keepalive: true }),
    )
      .then(({ data }) => {
        this.#begin(data);
        return data.access_token;
      })
      .catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.#forget(true);
        throw error;
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  /** Begins a session that other tabs don't know of yet. */
  #enter(answer: SessionAnswer): void {
    this.#begin(answer);
    this.#tell({ account: answer.account.id });
  }

  /** Another tab has signed in with another account, which is now the account of this browser's session. */
  #follow(): void {
    this.#dropToken();
    if (this.#state.status === 'signed-in') this.#set({ status: 'starting' });
    void this.#resume();
  }

  #tell(message: TabMessage): void {
    this.#tabs.postMessage(message);
  }

  #begin({ access_token: text, expires_in: seconds, account }: SessionAnswer): void {
    localStorage.setItem(hintKey, '1');
    this.#token = { text, goodUntilMs: Date.now() + seconds * 1_000 - renewBeforeMs, account };
    this.#know(account);
  }

  /** Keeps what is known of the account that is signed in. */
  #know(account: AccountView): void {
    if (this.#token !== undefined) {
      this.#token = { ...this.#token, account };
      sessionStorage.setItem(tokenKey, JSON.stringify(this.#token));
    }
    this.#set({ status: 'signed-in', account });
  }

  #forget(ended: boolean): void {
    localStorage.removeItem(hintKey);
    this.#dropToken();
    this.#set({ status: 'signed-out', ended });
  }

  #dropToken(): void {
    sessionStorage.removeItem(tokenKey);
    this.#token = undefined;
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function keptToken(): AccessToken | undefined {
  const kept = sessionStorage.getItem(tokenKey);
  return kept === null ? undefined : (JSON.parse(kept) as AccessToken);
}

/**
 * One renewal at a time among this browser's tabs, so that the cookie keeps the newest refresh token. A page that is left
 * during a renewal releases its lock too early; for that case the server accepts the older token for a minute.
 */
function alone<T>(renew: () => Promise<T>): Promise<T> {
  // Only secure contexts have locks; elsewhere browsers don't keep the cookie either.
  return 'locks' in navigator ? navigator.locks.request('sigcast-renewing', renew) : renew();
}
