import { accountTopology, type BoundQueue, eventTopology } from '@sigcast/contracts';
import {
  accountDeclarations,
  connectBroker,
  type Decision,
  eventDeclarations,
  type ParkedMessage,
  parkingLot,
} from '@sigcast/messaging';
import type { Environment } from '@sigcast/runtime';
import { z } from 'zod';
import { type BaseContext, type Command, CommandFailed, UsageError } from './command.ts';
import { readOptions } from './options.ts';

/** Where the broker is, and the namespace of its objects. */
export type BrokerConfig = {
  readonly AMQP_URL: readonly string[];
  readonly AMQP_CA?: string | undefined;
  readonly BROKER_NAMESPACE: string;
};

type Parked = {
  /** @throws {ConfigError} naming every setting that is wrong. */
  readonly readBroker: (env: Environment) => BrokerConfig;
  /** The queues that the service consumes. */
  readonly queuesOf: (namespace: string) => readonly BoundQueue[];
};

/**
 * The commands `parked list`, `parked requeue` and `parked drop`: look at the messages that the service's consumers could
 * not handle, give them back to the queues they come from, or drop them.
 */
export function parkedCommands(parked: Parked): Readonly<Record<'list' | 'requeue' | 'drop', Command>> {
  return {
    list: {
      usage: 'parked list',
      summary: 'Lists the messages that consumers could not handle, with the reason of each.',
      run: async (context) => {
        readOptions(context.args, { shape: {} });
        const messages = await walk(parked, context, () => 'keep');
        return {
          data: {
            messages: messages.map(({ parkedAt, ...message }) => ({ ...message, parked_at: parkedAt })),
          },
          text: [...messages.map(line), `${messages.length} parked`].join('\n'),
        };
      },
    },
    requeue: settle(parked, 'requeue', 'requeued'),
    drop: settle(parked, 'drop', 'dropped'),
  };
}

const settle = (parked: Parked, name: 'requeue' | 'drop', done: string): Command => ({
  usage: `parked ${name} --id EVENT | --all`,
  summary:
    name === 'requeue'
      ? 'Gives one parked message, or all, back to the queue that it came from.'
      : 'Drops one parked message, or all, for good.',
  run: async (context) => {
    const { id, all } = readOptions(context.args, {
      flags: ['all'],
      shape: { id: z.string().min(1).optional(), all: z.boolean().default(false) },
    });
    if ((id === undefined) === !all) throw new UsageError('one of --id and --all is required');
    const chosen = ({ id: its }: ParkedMessage) => all || its === id;
    const messages = await walk(parked, context, (message) => (chosen(message) ? name : 'keep'));
    const count = messages.filter(chosen).length;
    if (id !== undefined && count === 0) throw new CommandFailed('not_parked', `no message ${id} is parked`);
    return { data: { [done]: count }, text: `${count} ${done}` };
  },
});

/** All that were parked, once it is done with each what `decide` says. */
async function walk(
  { readBroker, queuesOf }: Parked,
  { env, log, resources }: BaseContext,
  decide: (message: ParkedMessage) => Decision,
): Promise<ParkedMessage[]> {
  const { AMQP_URL: urls, AMQP_CA: ca, BROKER_NAMESPACE: namespace } = readBroker(env);
  const broker = await connectBroker(
    {
      ...{ urls, ca, name: 'operator' },
      declare: [
        ...eventDeclarations(eventTopology(namespace)),
        ...accountDeclarations(accountTopology(namespace)),
      ],
    },
    log,
    resources,
  );
  const messages: ParkedMessage[] = [];
  await parkingLot(broker, queuesOf(namespace)).walk((message) => {
    messages.push(message);
    return decide(message);
  });
  return messages;
}

function line({ id, queue, reason, parkedAt }: ParkedMessage): string {
  return `${id || '(no id)'}  ${parkedAt ?? '-'}  ${queue}  ${reason}`;
}
