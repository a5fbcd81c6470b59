import { unavailable } from '@sigcast/contracts';

/** Hashes and compares passwords. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  matches(password: string, stored: string): Promise<boolean>;
};

/** Hashes at once. Each takes 32 MB and one of Node's four worker threads, which also read files and look up names. */
const maxRunning = 2;
/** Requests that wait for a hash; a hash takes some hundred milliseconds. Further requests are refused at once. */
const maxWaiting = 20;

/** Hashes passwords, a few at a time, so that many sign-ins at once don't exhaust the process. */
export class PasswordService {
  readonly #hasher: PasswordHasher;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #dummyHash: string | undefined;

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when too many are waiting. */
  async hash(password: string): Promise<string> {
    return this.#inTurn(() => this.#hasher.hash(password));
  }

  /**
   * Whether a password belongs to the hash `stored`. Without `stored` the answer is false and takes the same time, so that
   * nobody learns by timing whether an account exists.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when too many are waiting.
   */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      this.#dummyHash ??= await this.#hasher.hash('nobody has this password');
      const matches = await this.#hasher.matches(password, stored ?? this.#dummyHash);
      return matches && stored !== undefined;
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= maxRunning) {
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
