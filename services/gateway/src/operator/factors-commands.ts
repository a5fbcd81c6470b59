import { readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { requireAccount } from './account-commands.ts';
import { type Command, loggedCommand } from './command.ts';

const reset: Command = {
  usage: 'factors reset ID|EMAIL',
  summary:
    'Switches off the second factor of an account whose holder has lost the app and the recovery codes. Make sure that it is the holder who asks: from then on, the password alone signs in.',
  run: async ({ args, openStore }) => {
    const { id } = readOptions(args, { positionals: ['id'], shape: { id: z.string().min(1) } });
    const store = await openStore();
    const account = await requireAccount(store, id);
    const isOn = (await store.secondFactors.find(account.id)) !== undefined;
    const entry = {
      action: 'factors.reset',
      account: account.id,
      before: { second_factor: true },
      after: { second_factor: false },
    } as const;
    const wasOn = isOn && (await loggedCommand(store, entry, () => store.secondFactors.end(account.id)));
    return {
      data: { id: account.id, email: account.email, reset: wasOn },
      text: `${account.id} ${account.email}: ${wasOn ? 'the second factor is off' : 'there was no second factor'}`,
    };
  },
};

export const factorsCommands = { reset } satisfies Record<string, Command>;
