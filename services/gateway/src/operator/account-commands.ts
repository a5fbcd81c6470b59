import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CommandFailed, type CommandResult, readOptions, UsageError } from '@sigcast/operator';
import { z } from 'zod';
import { type Account, normaliseEmail } from '../domain/accounts.ts';
import { type AccountChange, changeAccount } from '../domain/operator-log.ts';
import { hashPassword } from '../domain/password.ts';
import { revokeAccess } from '../domain/revoke-access.ts';
import { type Command, type CommandContext, commandActor, loggedCommand, notPropagated } from './command.ts';

const email = z.string().trim().max(254).pipe(z.email('must be an e-mail address'));
const password = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(256, 'must have at most 256 characters');
export const planName = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a lower-case name');

const create: Command = {
  usage: 'account create --email EMAIL [--password-file FILE] [--plan PLAN] [--if-missing]',
  summary:
    'Creates an account, on the plan "standard" unless --plan names another. Without --password-file it has a random password, which is shown only once. With --if-missing an account that exists is no error.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, {
      flags: ['if-missing'],
      shape: {
        email,
        'password-file': z.string().min(1).optional(),
        plan: planName.default('standard'),
        'if-missing': z.boolean().default(false),
      },
    });
    const { accounts } = await openStore();
    const existing = await accounts.find(options.email);
    if (existing !== undefined) return refuseOrShow(existing, options['if-missing']);
    await requirePlan(accounts, options.plan);
    const { passwordHash, shown } = await choosePassword(options['password-file']);
    const created = await accounts.create({
      email: options.email,
      passwordHash,
      plan: options.plan,
      verification: 'verified',
    });
    if (created === undefined) {
      // Another command has created it meanwhile.
      const other = await accounts.find(options.email);
      if (other !== undefined) return refuseOrShow(other, options['if-missing']);
      throw new CommandFailed('account_exists', `${options.email} has an account already`);
    }
    return {
      data: { ...describe(created), created: true, ...shown },
      text: `${created.id} ${created.email}${passwordLine(shown)}`,
    };
  },
};

const setPassword: Command = {
  usage: 'account password ID|EMAIL [--password-file FILE]',
  summary:
    'Sets a new password, ends all sessions, revokes all API keys, removes all passkeys and pauses all webhooks. Without --password-file the password is a random one, which is shown only once.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, {
      positionals: ['id'],
      shape: { id: z.string().min(1), 'password-file': z.string().min(1).optional() },
    });
    const store = await openStore();
    const account = await requireAccount(store, options.id);
    const { passwordHash, shown } = await choosePassword(options['password-file']);
    const entry = { action: 'account.password', account: account.id, before: {}, after: {} } as const;
    const revoked = await loggedCommand(store, entry, async () => {
      const set = await store.accounts.setPassword(account.id, passwordHash);
      return set ? revokeAccess(store, account.id) : undefined;
    });
    if (revoked === undefined) throw noSuchAccount(options.id);
    const propagated = await store.propagate(account.id);
    return {
      data: { ...describe(account), revoked_keys: revoked.length, ...shown },
      text: `${account.id} ${account.email}: new password, all sessions ended, ${revoked.length} API keys revoked, webhooks paused${passwordLine(shown)}`,
      ...(propagated ? {} : { note: notPropagated }),
    };
  },
};

const verify: Command = {
  usage: 'account verify ID|EMAIL',
  summary:
    'Notes that the e-mail address belongs to the holder of the account. Its webhooks no longer wait for that.',
  run: async ({ args, openStore }) => {
    const { id } = readOptions(args, { positionals: ['id'], shape: { id: z.string().min(1) } });
    const store = await openStore();
    const account = await requireAccount(store, id);
    const before = { verification: account.verification };
    const after = { verification: 'verified' };
    const entry = { action: 'account.verify', account: account.id, before, after } as const;
    const apply = () => store.accounts.verify(account.id);
    const isVerified = account.verification === 'verified';
    const verified = isVerified ? account : await loggedCommand(store, entry, apply);
    if (verified === undefined) throw noSuchAccount(id);
    return { data: describe(verified), text: `${verified.id} ${verified.email} verified` };
  },
};

const setStatus = (name: 'suspend' | 'resume'): Command => ({
  usage: `account ${name} ID|EMAIL`,
  summary:
    name === 'suspend'
      ? 'Refuses the account’s requests and pauses its webhooks, until it is resumed.'
      : 'Ends a suspension. Webhooks deliver what has waited.',
  run: async (context) => {
    const { id } = readOptions(context.args, { positionals: ['id'], shape: { id: z.string().min(1) } });
    return change(context, id, { status: name === 'suspend' ? 'suspended' : 'active' });
  },
});

const remove: Command = {
  usage: 'account delete ID|EMAIL --email EMAIL',
  summary:
    'Deletes an account with its keys, sessions, usage and webhooks. --email repeats the address of the account, as a check.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, { positionals: ['id'], shape: { id: z.string().min(1), email } });
    const store = await openStore();
    const account = await requireAccount(store, options.id);
    if (account.email !== normaliseEmail(options.email)) {
      throw new CommandFailed('email_differs', `${account.id} has another e-mail address`);
    }
    const removed = await loggedCommand(
      store,
      {
        action: 'account.delete',
        account: account.id,
        before: { status: account.status },
        after: { status: 'deleted' },
      },
      () => store.accounts.remove(account.id),
    );
    if (removed === undefined) throw noSuchAccount(account.id);
    const propagated = await store.propagate(account.id);
    return {
      data: { ...describe(removed), status: 'deleted', propagated },
      text: `${removed.id} deleted; its keys, sessions, usage and webhooks are being removed`,
      ...(propagated ? {} : { note: notPropagated }),
    };
  },
};

const notify: Command = {
  usage: 'account notify --all',
  summary: 'Tells webhooks again the state of each account that was ever published, as after a restore.',
  run: async ({ args, openStore }) => {
    const { all } = readOptions(args, { flags: ['all'], shape: { all: z.boolean().default(false) } });
    if (!all) throw new UsageError('--all is required');
    const { accounts } = await openStore();
    const count = await accounts.notifyAll();
    return { data: { accounts: count }, text: `${count} accounts are being published again` };
  },
};

const setPlan: Command = {
  usage: 'account plan ID|EMAIL PLAN',
  summary: 'Puts an account on another plan.',
  run: async (context) => {
    const { id, plan } = readOptions(context.args, {
      positionals: ['id', 'plan'],
      shape: { id: z.string().min(1), plan: planName },
    });
    return change(context, id, { plan });
  },
};

export const accountCommands = {
  create,
  suspend: setStatus('suspend'),
  resume: setStatus('resume'),
  delete: remove,
  notify,
  plan: setPlan,
  password: setPassword,
  verify,
} satisfies Record<string, Command>;

type OpenStore = Awaited<ReturnType<CommandContext['openStore']>>;

/** The account of that id or e-mail address. @throws {CommandFailed} when there is none. */
export async function requireAccount({ accounts }: OpenStore, idOrEmail: string): Promise<Account> {
  const found = await accounts.find(idOrEmail);
  if (found === undefined) throw noSuchAccount(idOrEmail);
  return found;
}

const noSuchAccount = (idOrEmail: string) =>
  new CommandFailed('account_not_found', `there is no account ${idOrEmail}`);

/**
 * Changes the account of that id or e-mail address, and logs it: see {@link changeAccount}.
 * @throws {CommandFailed} when there is no such account, or no such plan.
 */
export async function changeByCommand(
  store: OpenStore,
  idOrEmail: string,
  wanted: AccountChange,
): Promise<Account> {
  const account = await requireAccount(store, idOrEmail);
  if ('plan' in wanted) await requirePlan(store.accounts, wanted.plan);
  const changed = await changeAccount(store, { actor: commandActor(), account, change: wanted });
  if (changed === undefined) throw noSuchAccount(idOrEmail);
  return changed;
}

async function change(
  { openStore }: CommandContext,
  idOrEmail: string,
  wanted: AccountChange,
): Promise<CommandResult> {
  const store = await openStore();
  const changed = await changeByCommand(store, idOrEmail, wanted);
  const propagated = await store.propagate(changed.id);
  return {
    data: { ...describe(changed), propagated },
    text: `${changed.id} ${changed.status}, plan ${changed.plan}`,
    ...(propagated ? {} : { note: notPropagated }),
  };
}

async function requirePlan(accounts: OpenStore['accounts'], plan: string): Promise<void> {
  if ((await accounts.findPlan(plan)) === undefined) {
    throw new CommandFailed('plan_not_found', `there is no plan ${plan}; make it with: plan set ${plan} …`);
  }
}

function refuseOrShow(existing: Account, ifMissing: boolean): CommandResult {
  if (!ifMissing) throw new CommandFailed('account_exists', `${existing.email} has an account already`);
  return { data: { ...describe(existing), created: false }, text: `${existing.id} ${existing.email}` };
}

/** The password in the file or, without one, a random one, which is then shown once. */
async function choosePassword(file: string | undefined) {
  const chosen = file === undefined ? randomBytes(18).toString('base64url') : await readPassword(file);
  const shown: { password?: string } = file === undefined ? { password: chosen } : {};
  return { passwordHash: await hashPassword(chosen), shown };
}

function passwordLine({ password: text }: { password?: string }): string {
  return text === undefined ? '' : `\npassword: ${text}`;
}

async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailed('password_unreadable', `${file} can't be read: ${error.message}`);
  });
  const parsed = password.safeParse(text.replace(/\r?\n$/, ''));
  if (!parsed.success) {
    throw new CommandFailed('password_refused', `the password ${parsed.error.issues[0]?.message}`);
  }
  return parsed.data;
}

function describe({ id, email: address, plan, status, verification, createdAt }: Account) {
  return { id, email: address, plan, status, verification, created_at: createdAt.toISOString() };
}
