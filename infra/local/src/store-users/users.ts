import { randomBytes } from 'node:crypto';

/** The services that use RabbitMQ, each with a user of its own. */
export const brokerUsers = ['gateway', 'signals', 'stats', 'webhooks', 'tracker'] as const;
export type BrokerUser = (typeof brokerUsers)[number];

/** The programs that use Redis, each with a user of its own. `operator` is for the gateway's operator commands. */
export const redisUsers = ['gateway', 'operator', 'tracker-poller', 'scanner'] as const;
export type RedisUser = (typeof redisUsers)[number];

/** The user that may do everything, for setting up, rotation and tests. No service is it. */
export const root = 'root';

/** Passwords by user. */
export type PasswordsOf<User extends string> = Readonly<Record<User, string>>;

/** The known passwords, and new ones of the users that have none. They need no escaping in an address. */
export function completePasswords<User extends string>(
  users: readonly User[],
  known: Partial<PasswordsOf<User>> = {},
): PasswordsOf<User> {
  const entries = users.map((user) => [user, known[user] ?? randomBytes(24).toString('hex')]);
  return Object.fromEntries(entries) as PasswordsOf<User>;
}

/** An address with a user and a password in place of its own. */
export function withUser(url: string, user: string, password: string): string {
  return url.replace(/\/\/(?:[^/@]*@)?/, `//${user}:${password}@`);
}
