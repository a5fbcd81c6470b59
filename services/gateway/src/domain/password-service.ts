import { SigcastError, unavailable } from '@sigcast/contracts';
import { FairQueue } from './fair-queue.ts';

/** Hashes and compares passwords. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  matches(password: string, stored: string): Promise<boolean>;
};

/**
 * Who waits for a hash. `stranger`: a network that shows no account yet. `known`: an account whose holder is signed in, or
 * asks from a device that has signed in before.
 */
export type PasswordCaller = {
  readonly kind: 'stranger' | 'known';
  readonly name: string;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
};

/** Hashes at once. Each takes 32 MB and one of Node's four worker threads, which also read files and look up names. */
const maxRunning = 2;
/** Hashes at once for strangers, so that one is left for accounts, and a core for other requests. Accounts leave one, too. */
const maxRunningForStrangers = 1;

type Waiting = Pick<PasswordCaller, 'isGone'> & {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
};

/**
 * Hashes passwords, a few at a time, so that many sign-ins at once don't exhaust the process. Networks take turns, so that
 * one with many sign-ins does not keep others from theirs. Known accounts have a place of their own, and both while no stranger
 * waits.
 */
export class PasswordService {
  readonly #hasher: PasswordHasher;
  readonly #waiting = { stranger: new FairQueue<Waiting>(), known: new FairQueue<Waiting>() };
  readonly #running = { stranger: 0, known: 0 };
  #dummyHash: string | undefined;

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
  }

  /**
   * Refuses a caller for whom no place is left, before anything is done for it.
   * @throws {SigcastError} SERVICE_UNAVAILABLE
   */
  requirePlace({ kind, name }: Pick<PasswordCaller, 'kind' | 'name'>): void {
    if (this.#waiting[kind].isFull(name)) throw unavailable('Signing in');
  }

  /** @throws {SigcastError} SERVICE_UNAVAILABLE when too many are waiting. */
  async hash(password: string, caller: PasswordCaller): Promise<string> {
    return this.#inTurn(caller, () => this.#hasher.hash(password));
  }

  /**
   * Whether a password belongs to the hash that `find` returns, which is called when the caller has its turn. Without a hash
   * the answer is false and takes the same time, so that nobody learns by timing whether an account exists.
   * @throws {SigcastError} SERVICE_UNAVAILABLE when too many are waiting, and whatever `find` throws.
   */
  async matches(
    password: string,
    find: () => Promise<string | undefined>,
    caller: PasswordCaller,
  ): Promise<boolean> {
    return this.#inTurn(caller, async () => {
      const stored = await find();
      this.#dummyHash ??= await this.#hasher.hash('nobody has this password');
      const matches = await this.#hasher.matches(password, stored ?? this.#dummyHash);
      return matches && stored !== undefined;
    });
  }

  async #inTurn<T>({ kind, name, isGone }: PasswordCaller, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start, refuse) => {
      this.#waiting[kind].push(name, { start, refuse, isGone })?.refuse(unavailable('Signing in'));
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#running[kind] -= 1;
      this.#startNext();
    }
  }

  #startNext(): void {
    for (const kind of ['known', 'stranger'] as const) {
      while (this.#hasRoomFor(kind)) {
        const next = this.#waiting[kind].shift();
        if (next === undefined) break;
        if (next.isGone()) {
          next.refuse(new SigcastError('INVALID_REQUEST', 'The client went away'));
          continue;
        }
        this.#running[kind] += 1;
        next.start();
      }
    }
  }

  #hasRoomFor(kind: PasswordCaller['kind']): boolean {
    const { stranger, known } = this.#running;
    if (stranger + known >= maxRunning) return false;
    if (kind === 'stranger') return stranger < maxRunningForStrangers;
    return known < maxRunning - maxRunningForStrangers || this.#waiting.stranger.isEmpty;
  }
}
