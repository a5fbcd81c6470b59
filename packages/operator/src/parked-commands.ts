import type { BoundQueue } from '@sigcast/contracts';
import { connectBroker, type Decision, type ParkedMessage, parkingLot } from '@sigcast/messaging';
import { brokerFrom, type Environment } from '@sigcast/runtime';
import { z } from 'zod';
import { type BaseContext, type Command, CommandFailed, UsageError } from './command.ts';
import { readOptions } from './options.ts';

/** Where the broker is, and the namespace of its objects. */
type BrokerConfig = {
  readonly AMQP_URL: readonly string[];
  readonly AMQP_CA?: string | undefined;
  readonly BROKER_NAMESPACE: string;
};

type ParkedOptions = {
  /** @throws {ConfigError} naming every setting that is wrong. */
  readonly readBroker: (env: Environment) => BrokerConfig;
  /** The queues that the service consumes. */
  readonly queuesOf: (namespace: string) => readonly BoundQueue[];
};

/**
 * The commands `parked list`, `parked requeue` and `parked drop`: list the messages that the service's consumers could not
 * handle, return them to their queues, or drop them.
 */
export function parkedCommands(
  options: ParkedOptions,
): Readonly<Record<'list' | 'requeue' | 'drop', Command>> {
  return {
    list: {
      usage: 'parked list',
      summary: 'Lists the messages that consumers could not handle, with the reason of each.',
      run: async (context) => {
        readOptions(context.args, { shape: {} });
        const messages = await walk(options, context, () => 'keep');
        return {
          data: {
            messages: messages.map(({ parkedAt, ...message }) => ({ ...message, parked_at: parkedAt })),
          },
          text: [...messages.map(line), `${messages.length} parked`].join('\n'),
        };
      },
    },
    requeue: decisionCommand(options, 'requeue', 'requeued'),
    drop: decisionCommand(options, 'drop', 'dropped'),
  };
}

const decisionCommand = (options: ParkedOptions, name: 'requeue' | 'drop', done: string): Command => ({
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
    if ((id === undefined) === !all) throw new UsageError('either --id or --all is required');
    const chosen = (message: ParkedMessage) => all || message.id === id;
    const messages = await walk(options, context, (message) => (chosen(message) ? name : 'keep'));
    const count = messages.filter(chosen).length;
    if (id !== undefined && count === 0) throw new CommandFailed('not_parked', `no message ${id} is parked`);
    return { data: { [done]: count }, text: `${count} ${done}` };
  },
});

/** Does with each parked message what `decide` says. @returns all messages that were parked. */
async function walk(
  { readBroker, queuesOf }: ParkedOptions,
  { env, log, resources }: BaseContext,
  decide: (message: ParkedMessage) => Decision,
): Promise<ParkedMessage[]> {
  const config = readBroker(env);
  const queues = queuesOf(config.BROKER_NAMESPACE);
  const broker = await connectBroker({ ...brokerFrom(config), name: 'operator' }, log, resources);
  const messages: ParkedMessage[] = [];
  await parkingLot(broker, queues).walk((message) => {
    messages.push(message);
    return decide(message);
  });
  return messages;
}

function line({ id, queue, reason, parkedAt }: ParkedMessage): string {
  return `${id || '(no id)'}  ${parkedAt ?? '-'}  ${queue}  ${reason}`;
}
