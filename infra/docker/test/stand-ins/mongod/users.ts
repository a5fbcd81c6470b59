import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A role of a user on a database. */
export type Role = { readonly role: string; readonly db: string };

type User = {
  readonly salt: string;
  readonly storedKey: string;
  readonly serverKey: string;
  readonly roles: readonly Role[];
};

type State = { initiated: boolean; users: Record<string, User> };

const iterations = 15_000;
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();

/** The state that outlives the process: the users, and whether the replica set was initiated. */
export class Users {
  readonly #file: string;
  #state: State;

  constructor(file: string) {
    this.#file = file;
    this.#state = existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as State)
      : { initiated: false, users: {} };
  }

  get initiated(): boolean {
    return this.#state.initiated;
  }

  get none(): boolean {
    return Object.keys(this.#state.users).length === 0;
  }

  initiate(): void {
    this.#state = { ...this.#state, initiated: true };
    this.#save();
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#state.users, name);
  }

  set(name: string, password: string, roles: readonly Role[]): void {
    const salt = randomBytes(28);
    const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
    const user: User = {
      salt: salt.toString('base64'),
      storedKey: sha256(hmac(salted, 'Client Key')).toString('base64'),
      serverKey: hmac(salted, 'Server Key').toString('base64'),
      roles,
    };
    this.#state.users[name] = user;
    this.#save();
  }

  /** Whether a user may run commands on a database, by any role there. */
  allows(name: string, database: string): boolean {
    const roles = this.#state.users[name]?.roles ?? [];
    return roles.some(({ role, db }) => role === 'root' || db === database);
  }

  /** Begins an exchange of SCRAM-SHA-256 (RFC 5802, RFC 7677). */
  exchange(): Scram {
    return new Scram((name) => this.#state.users[name]);
  }

  #save(): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#state), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** The server's side of an exchange: the client's first message, its final message, and then `user` has signed in. */
export class Scram {
  readonly #find: (name: string) => User | undefined;
  #user: User | undefined;
  #name = '';
  #said = '';
  #nonce = '';
  user: string | undefined;

  constructor(find: (name: string) => User | undefined) {
    this.#find = find;
  }

  /** @returns the server's first message. */
  first(message: string): string {
    const bare = message.replace(/^[ny],,/, '');
    const fields = new Map(bare.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
    this.#name = (fields.get('n') ?? '').replaceAll('=2C', ',').replaceAll('=3D', '=');
    this.#user = this.#find(this.#name);
    this.#nonce = `${fields.get('r') ?? ''}${randomBytes(24).toString('base64')}`;
    // An unknown user gets a random salt, and is refused after the final message, like a wrong password.
    const salt = this.#user?.salt ?? randomBytes(28).toString('base64');
    const answer = `r=${this.#nonce},s=${salt},i=${iterations}`;
    this.#said = `${bare},${answer}`;
    return answer;
  }

  /** @returns the server's final message, or undefined when the proof is wrong. */
  final(message: string): string | undefined {
    const [withoutProof = '', proof = ''] = message.split(/,p=/);
    if (!this.#user || !withoutProof.endsWith(`r=${this.#nonce}`)) return undefined;
    const signed = `${this.#said},${withoutProof}`;
    const stored = Buffer.from(this.#user.storedKey, 'base64');
    const signature = hmac(stored, signed);
    const key = Buffer.from(proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0));
    if (key.length !== signature.length || !timingSafeEqual(sha256(Buffer.from(key)), stored))
      return undefined;
    this.user = this.#name;
    return `v=${hmac(Buffer.from(this.#user.serverKey, 'base64'), signed).toString('base64')}`;
  }
}
