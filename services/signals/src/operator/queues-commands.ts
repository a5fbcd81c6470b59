import { accountTopology, type BoundQueue, type EventQueue, eventTopology } from '@sigcast/contracts';
import {
  type Broker,
  connectBroker,
  eventQueues,
  lookAtQueue,
  type QueueMarks,
  queueMarks,
} from '@sigcast/messaging';
import { connectMongo, mongoFrom } from '@sigcast/mongo';
import { type BaseContext, type Command, CommandFailed, readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { readQueuesConfig } from '../config.ts';
import type { FilledQueues } from '../relay/replay.ts';
import { mongoFilledQueues } from '../store/mongo-filled-queues.ts';

type Workplace = {
  readonly broker: Broker;
  readonly queues: readonly EventQueue[];
  /** Nothing of these is archived. */
  readonly others: readonly BoundQueue[];
  readonly marks: QueueMarks;
  readonly filled: FilledQueues;
};

type Look = {
  /** `refilling`: it was lost, or an operator asked for it, and the running service fills it from the archive. */
  readonly state: 'complete' | 'refilling' | 'missing' | 'no answer';
  readonly messages: number | null;
  readonly consumers: number | null;
};

const show: Command = {
  usage: 'queues show',
  summary: 'Shows each queue of events: its state, what waits, who consumes, and what is parked.',
  run: async (context) => {
    readOptions(context.args, { shape: {} });
    const place = await open(context);
    const shown = await Promise.all(
      [...place.queues, ...place.others].map(async (queue) => {
        const filled = async () => !('marker' in queue) || isFilled(place, queue);
        const [look, parked] = await Promise.all([
          lookAt(place, queue.queue, filled),
          lookAt(place, queue.parked, async () => true),
        ]);
        return { queue: queue.queue, ...look, parked_queue: queue.parked, parked: parked.messages };
      }),
    );
    const count = (value: number | null, what: string) => `${value ?? '?'} ${what}`;
    return {
      data: { queues: shown },
      text: shown
        .map(({ queue, state, messages, consumers, parked, parked_queue: lot }) =>
          [
            queue,
            state,
            count(messages, 'ready'),
            count(consumers, 'consumers'),
            count(parked, `parked in ${lot}`),
          ].join('  '),
        )
        .join('\n'),
      note: 'ready: messages that no consumer has in hand. RabbitMQ tells of those in hand by `rabbitmqctl list_queues`.',
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
    const place = await open(context);
    const queue = place.queues.find((each) => each.queue === name);
    if (queue === undefined) {
      const names = place.queues.map((each) => each.queue).join(', ');
      throw new CommandFailed(
        'unknown_queue',
        `there is no queue ${name} that can be filled; there are ${names}`,
      );
    }
    const mark = await place.filled.markOf(queue.queue);
    // Without the mark that was noted, a queue is one that was lost: the service looks for it every two seconds.
    if (mark !== undefined) await place.marks.remove(mark);
    return {
      data: { queue: queue.queue, refilled_by: queue.refill },
      text: `${queue.queue} gets the events of the last day by ${queue.refill}; signals logs \`replay: queues complete\` when it has them`,
    };
  },
};

export const queuesCommands = { show, refill } satisfies Record<string, Command>;

async function open({ env, log, resources }: BaseContext): Promise<Workplace> {
  const config = readQueuesConfig(env);
  const topology = eventTopology(config.BROKER_NAMESPACE);
  const connection = await connectMongo(mongoFrom(config), log, resources);
  // Declares nothing: what is missing is shown as missing.
  const declare = async () => undefined;
  const broker = await connectBroker(
    { urls: config.AMQP_URL, ca: config.AMQP_CA, name: 'signals-operator', declare },
    log,
    resources,
  );
  if (!broker.connected)
    throw new CommandFailed('broker_unavailable', 'RabbitMQ at AMQP_URL does not answer');
  return {
    ...{ broker, queues: eventQueues(topology), marks: queueMarks(broker, topology) },
    others: [accountTopology(config.BROKER_NAMESPACE).webhooks],
    filled: mongoFilledQueues(connection),
  };
}

async function lookAt({ broker }: Workplace, name: string, complete: () => Promise<boolean>): Promise<Look> {
  const found = await lookAtQueue(broker, name);
  if (found === 'no answer') return { state: 'no answer', messages: null, consumers: null };
  if (found === undefined) return { state: 'missing', messages: null, consumers: null };
  return { state: (await complete()) ? 'complete' : 'refilling', ...found };
}

async function isFilled({ marks, filled }: Workplace, { queue }: BoundQueue): Promise<boolean> {
  const mark = await filled.markOf(queue);
  return mark !== undefined && (await marks.isThere(mark));
}
