import { unavailable } from '@sigcast/contracts';

/** How passwords are hashed; tests count how often. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  matches(password: string, stored: string): Promise<boolean>;
};

/** Each hash takes 32 MB and a thread of the four that also read files and look up names. */
const atOnce = 2;
/** Beyond this many waiting, it is better to say so at once: each takes some hundred milliseconds. */
const maxWaiting = 20;

/** Hashes passwords, a few at a time, so that many sign-ins at once don't take the process with them. */
export class PasswordService {
  readonly #hasher: PasswordHasher;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #nobodysHash: string | undefined;

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when too many are waiting. */
  async hash(password: string): Promise<string> {
    return this.#inTurn(() => this.#hasher.hash(password));
  }

  /**
   * Whether a password is the one of `stored`. Without one, it costs the same and is false: whoever measures time
   * does not learn whether there is such an account.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when too many are waiting.
   */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      this.#nobodysHash ??= await this.#hasher.hash('nobody has this password');
      const matches = await this.#hasher.matches(password, stored ?? this.#nobodysHash);
      return matches && stored !== undefined;
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= atOnce) {
      if (this.#waiting.length >= maxWaiting) throw unavailable('Signing in');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
