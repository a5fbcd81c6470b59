import type { AccountView, Session as SessionAnswer } from '@sigcast/contracts';
import { type Answer, ApiError, type Method, type SendOptions, send } from './http.ts';
import { renewAlone } from './renewal.ts';

export type SessionState =
  | { readonly status: 'starting' }
  /** `ended`: it was not the holder who signed out, so they deserve a word. */
  | { readonly status: 'signed-out'; readonly ended: boolean }
  /** Nobody could be asked; trying again may help. */
  | { readonly status: 'unreachable'; readonly reason: string }
  | { readonly status: 'signed-in'; readonly account: AccountView };

/** Renewed this long before it runs out, so that no request is refused for it. */
const renewBeforeMs = 30_000;
/** In local storage while this browser has a session: without it, asking for one is not worth a request. */
const hintKey = 'sigcast-session';
/** In session storage: this tab's access token, so that loading the page again does not renew the session each time. */
const tokenKey = 'sigcast-access';

type AccessToken = { readonly text: string; readonly goodUntilMs: number };

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
    this.#tabs.onmessage = ({ data }) => {
      if (data === 'signed-out') this.#forget(false);
      else if (this.#state.status === 'signed-out') void this.#resume();
    };
  }

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Goes on with the session this browser has, if any. */
  async start(): Promise<void> {
    if (localStorage.getItem(hintKey) === null) {
      this.#set({ status: 'signed-out', ended: false });
      return;
    }
    await this.#resume();
  }

  /** Without asking local storage: what another tab just wrote there may not be seen here yet. */
  async #resume(): Promise<void> {
    try {
      const { data } = await this.call<AccountView>('GET', '/account');
      this.#set({ status: 'signed-in', account: data });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#state.status !== 'signed-out') this.#set({ status: 'unreachable', reason });
    }
  }

  async signUp(credentials: { email: string; password: string }): Promise<void> {
    this.#begin((await send<SessionAnswer>('POST', '/account', { body: credentials })).data);
    this.#tabs.postMessage('signed-in');
  }

  async signIn(credentials: { email: string; password: string }): Promise<void> {
    this.#begin((await send<SessionAnswer>('POST', '/account/session', { body: credentials })).data);
    this.#tabs.postMessage('signed-in');
  }

  async changePassword(body: { current_password: string; new_password: string }): Promise<void> {
    this.#begin((await this.call<SessionAnswer>('POST', '/account/password', { body })).data);
  }

  async signOut(): Promise<void> {
    await send('DELETE', '/account/session');
    this.#tabs.postMessage('signed-out');
    this.#forget(false);
  }

  /** Sends a request as the account. @throws {ApiError} */
  async call<T>(method: Method, path: string, options: Omit<SendOptions, 'token'> = {}): Promise<Answer<T>> {
    return this.authorised((token) => send<T>(method, path, { ...options, token }));
  }

  /** Does something with an access token, and once more with a new one when it is refused. */
  async authorised<T>(work: (token: string) => Promise<T>): Promise<T> {
    const token = this.#token;
    const fresh = token !== undefined && token.goodUntilMs > Date.now();
    try {
      return await work(fresh ? token.text : await this.#renew());
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401 || this.#token?.text !== token?.text)
        throw error;
      return work(await this.#renew());
    }
  }

  /** One renewal at a time, in this tab and among all tabs. */
  #renew(): Promise<string> {
    this.#renewing ??= renewAlone(() =>
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

  #begin({ access_token: text, expires_in: seconds, account }: SessionAnswer): void {
    localStorage.setItem(hintKey, '1');
    this.#token = { text, goodUntilMs: Date.now() + seconds * 1_000 - renewBeforeMs };
    sessionStorage.setItem(tokenKey, JSON.stringify(this.#token));
    this.#set({ status: 'signed-in', account });
  }

  #forget(ended: boolean): void {
    localStorage.removeItem(hintKey);
    sessionStorage.removeItem(tokenKey);
    this.#token = undefined;
    this.#set({ status: 'signed-out', ended });
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
