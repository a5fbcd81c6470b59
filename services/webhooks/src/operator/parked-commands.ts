import { CommandFailed, readOptions, UsageError } from '@sigcast/operator';
import { z } from 'zod';
import type { Command, Openers } from './command.ts';
import type { Decision, ParkedMessage } from './parking-lot.ts';

const list: Command = {
  usage: 'parked list',
  run: async ({ args, openParkingLot }) => {
    readOptions(args, { shape: {} });
    const messages = await walk(openParkingLot, () => 'keep');
    return {
      data: {
        messages: messages.map(({ id, reason, parkedAt, body }) => ({
          id,
          reason,
          parked_at: parkedAt,
          body,
        })),
      },
      text: [...messages.map(line), `${messages.length} parked`].join('\n'),
    };
  },
};

const settle = (name: 'requeue' | 'drop', done: string): Command => ({
  usage: `parked ${name} --id EVENT | --all`,
  run: async ({ args, openParkingLot }) => {
    const { id, all } = readOptions(args, {
      flags: ['all'],
      shape: { id: z.string().min(1).optional(), all: z.boolean().default(false) },
    });
    if ((id === undefined) === !all) throw new UsageError('one of --id and --all is required');
    const chosen = ({ id: its }: ParkedMessage) => all || its === id;
    const messages = await walk(openParkingLot, (message) => (chosen(message) ? name : 'keep'));
    const count = messages.filter(chosen).length;
    if (id !== undefined && count === 0) throw new CommandFailed('not_parked', `no message ${id} is parked`);
    return { data: { [done]: count }, text: `${count} ${done}` };
  },
});

export const parkedCommands = {
  list,
  requeue: settle('requeue', 'requeued'),
  drop: settle('drop', 'dropped'),
} satisfies Record<string, Command>;

/** All that were parked, once it is done with each what `decide` says. */
async function walk(
  openParkingLot: Openers['openParkingLot'],
  decide: (message: ParkedMessage) => Decision,
): Promise<ParkedMessage[]> {
  const messages: ParkedMessage[] = [];
  const lot = await openParkingLot();
  await lot.walk((message) => {
    messages.push(message);
    return decide(message);
  });
  return messages;
}

function line({ id, reason, parkedAt }: ParkedMessage): string {
  return `${id || '(no id)'}  ${parkedAt ?? '-'}  ${reason}`;
}
