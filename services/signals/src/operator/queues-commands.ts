import { type EventQueue, eventTopology } from '@sigcast/contracts';
import {
  type Broker,
  connectBroker,
  eventQueues,
  inspectQueue,
  type QueueMarks,
  queueMarks,
} from '@sigcast/messaging';
import { connectMongo, mongoFrom, noTimeLimit } from '@sigcast/mongo';
import { type BaseContext, type Command, CommandFailed, readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { readQueuesConfig } from '../config.ts';
import type { QueueIncarnations } from '../relay/replay.ts';
import { mongoQueueIncarnations } from '../store/mongo-queue-incarnations.ts';

/** What the commands about queues work on. */
type QueueAccess = {
  readonly broker: Broker;
  readonly queues: readonly EventQueue[];
  readonly marks: QueueMarks;
  readonly incarnations: QueueIncarnations;
};

type QueueState = {
  /** `refilling`: the queue was lost, or an operator asked for a refill. The running service fills it from the archive. */
  readonly state: 'complete' | 'refilling' | 'missing' | 'no answer';
  readonly messages: number | null;
  readonly consumers: number | null;
};

const show: Command = {
  usage: 'queues show',
  summary: 'Shows each queue of events: its state, what waits, who consumes, and what is parked.',
  run: async (context) => {
    readOptions(context.args, { shape: {} });
    const access = await open(context);
    const shown = await Promise.all(
      access.queues.map(async (queue) => {
        const complete = () => isComplete(access, queue);
        const [state, parked] = await Promise.all([
          readState(access, queue.queue, complete),
          readState(access, queue.parked, async () => true),
        ]);
        return { queue: queue.queue, ...state, parked_queue: queue.parked, parked: parked.messages };
      }),
    );
    const count = (value: number | null, what: string) => `${value ?? '?'} ${what}`;
    return {
      data: { queues: shown },
      text: shown
        .map(({ queue, state, messages, consumers, parked, parked_queue: parkedQueue }) =>
          [
            queue,
            state,
            count(messages, 'ready'),
            count(consumers, 'consumers'),
            count(parked, `parked in ${parkedQueue}`),
          ].join('  '),
        )
        .join('\n'),
      note: 'ready: messages that are not delivered to a consumer. `rabbitmqctl list_queues` shows unacknowledged messages, too.',
    };
  },
};

const refill: Command = {
  usage: 'queues refill QUEUE',
  summary: 'Has the running service publish the events of the last day to a queue again. It deletes nothing.',
  run: async (context) => {
    const { queue: name } = readOptions(context.args, {
      positionals: ['queue'],
      shape: { queue: z.string().min(1) },
    });
    const access = await open(context);
    const queue = access.queues.find((each) => each.queue === name);
    if (queue === undefined) {
      const names = access.queues.map((each) => each.queue).join(', ');
      throw new CommandFailed(
        'unknown_queue',
        `there is no queue ${name} that can be filled; there are ${names}`,
      );
    }
    const mark = await access.incarnations.markOf(queue.queue);
    // A queue without its recorded mark counts as lost. The running service checks that every two seconds.
    if (mark !== undefined) await access.marks.remove(mark);
    return {
      data: { queue: queue.queue, refilled_by: queue.refill },
      text: `${queue.queue} gets the events of the last day by ${queue.refill}; signals logs \`replay: queues complete\` when it has them`,
    };
  },
};

export const queuesCommands = { show, refill } satisfies Record<string, Command>;

async function open({ env, log, resources }: BaseContext): Promise<QueueAccess> {
  const config = readQueuesConfig(env);
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const connection = await connectMongo({ ...mongoFrom(config), queryTimeMs: noTimeLimit }, log, resources);
  // Declares nothing, so that a missing queue is shown as missing.
  const declare = async () => undefined;
  const broker = await connectBroker(
    { urls: config.AMQP_URL, ca: config.AMQP_CA, name: 'signals-operator', declare },
    log,
    resources,
  );
  if (!broker.connected)
    throw new CommandFailed('broker_unavailable', 'RabbitMQ at AMQP_URL does not answer');
  return {
    broker,
    queues: eventQueues(topology),
    marks: queueMarks(broker, topology),
    incarnations: mongoQueueIncarnations(connection),
  };
}

async function readState(
  { broker }: QueueAccess,
  name: string,
  complete: () => Promise<boolean>,
): Promise<QueueState> {
  const found = await inspectQueue(broker, name);
  if (found === 'no answer') return { state: 'no answer', messages: null, consumers: null };
  if (found === undefined) return { state: 'missing', messages: null, consumers: null };
  return { state: (await complete()) ? 'complete' : 'refilling', ...found };
}

async function isComplete({ marks, incarnations }: QueueAccess, { queue }: EventQueue): Promise<boolean> {
  const mark = await incarnations.markOf(queue);
  return mark !== undefined && (await marks.isThere(mark));
}
