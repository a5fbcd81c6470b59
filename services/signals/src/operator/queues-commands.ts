import { type EventQueue, eventTopology } from '@sigcast/contracts';
import { type Broker, connectBroker, eventMessageTo, eventQueues, inspectQueue } from '@sigcast/messaging';
import { type BaseContext, type Command, CommandFailed, connectStore, readOptions } from '@sigcast/operator';
import { brokerFrom } from '@sigcast/runtime';
import { z } from 'zod';
import { readQueuesConfig } from '../config.ts';
import { type LostQueues, refill as refillFrom } from '../relay/lost-queues.ts';
import type { Archive } from '../relay/outbox.ts';
import { archiveModel, mongoArchive } from '../store/mongo-archive.ts';
import { mongoLostQueues } from '../store/mongo-lost-queues.ts';

/** What the commands about queues work on. */
type QueueAccess = {
  readonly broker: Broker;
  readonly queues: readonly EventQueue[];
  readonly archive: Archive;
  readonly lost: LostQueues;
};

type QueueState = {
  /** `lost`: the broker lost its messages, and `queues refill` has not published them again. */
  readonly state: 'ok' | 'lost' | 'missing' | 'no answer';
  readonly messages: number | null;
  readonly consumers: number | null;
};

const show: Command = {
  usage: 'queues show',
  summary: 'Shows each queue of events: its state, what waits, who consumes, and what is parked.',
  run: async (context) => {
    readOptions(context.args, { shape: {} });
    const { broker, queues, lost } = await open(context);
    const losses = await lost.all();
    const shown = await Promise.all(
      queues.map(async (queue) => {
        const [state, parked] = await Promise.all([
          readState(broker, queue.queue, losses.has(queue.queue)),
          readState(broker, queue.parked, false),
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
  summary: 'Publishes the events of the last day to a queue again, and to no other. It deletes nothing.',
  run: async (context) => {
    const { queue: name } = readOptions(context.args, {
      positionals: ['queue'],
      shape: { queue: z.string().min(1) },
    });
    const { broker, queues, archive, lost } = await open(context);
    const queue = queues.find((each) => each.queue === name);
    if (queue === undefined) {
      const names = queues.map((each) => each.queue).join(', ');
      throw new CommandFailed(
        'unknown_queue',
        `there is no queue ${name} that can be refilled; there are ${names}`,
      );
    }
    const publish = async (event: Parameters<typeof eventMessageTo>[1], to: string) =>
      broker.publish(eventMessageTo(to, event));
    const events = await refillFrom({ archive, lost, publish, log: context.log }, queue);
    return {
      data: { queue: queue.queue, refilled_by: queue.refill, events },
      text: `${queue.queue} gets ${events} events of the last day by ${queue.refill}`,
    };
  },
};

export const queuesCommands = { show, refill } satisfies Record<string, Command>;

async function open({ env, log, resources }: BaseContext): Promise<QueueAccess> {
  const config = readQueuesConfig(env);
  const connection = await connectStore(config, { log, resources });
  const broker = await connectBroker({ ...brokerFrom(config), name: 'signals-operator' }, log, resources);
  if (!broker.connected)
    throw new CommandFailed('broker_unavailable', 'RabbitMQ at AMQP_URL does not answer');
  return {
    broker,
    queues: eventQueues(eventTopology(config.BROKER_NAMESPACE)),
    archive: mongoArchive(archiveModel(connection), () => new Date()),
    lost: mongoLostQueues(connection),
  };
}

async function readState(broker: Broker, name: string, isLost: boolean): Promise<QueueState> {
  const found = await inspectQueue(broker, name);
  if (found === 'no answer') return { state: 'no answer', messages: null, consumers: null };
  if (found === undefined) return { state: 'missing', messages: null, consumers: null };
  return { state: isLost ? 'lost' : 'ok', ...found };
}
