import { type Logger, pause, waitAtMost } from '@sigcast/runtime';
import { type Channel, type ChannelModel, type ConfirmChannel, connect, type GetMessage } from 'amqplib';
import { closeModel, connectTimeoutMs, unlessAborted, withHeartbeat } from './connection.ts';

/** Declares queues anew that the broker lists and can't serve. */
export type QueueRepair = {
  /** Looks at queues, and after those that fail until they serve. Returns at once. */
  look(queues: readonly string[]): void;
  /** The same for queues that somebody could not use, unless they were looked at a moment ago. */
  suspect(queues: readonly string[]): void;
  /** Resolves when a queue is not being looked after. Never rejects. */
  settled(queue: string): Promise<void>;
  close(): Promise<void>;
};

export type QueueRepairOptions = {
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  /** Declares every queue that is looked at. */
  readonly declare: (channel: Channel) => Promise<unknown>;
  readonly log: Logger;
};

/** Between two looks at a queue that failed, in milliseconds. */
const lookEveryMs = 5_000;
/** Looks a queue fails, one after the other, before it is declared anew; far longer together than the election of a leader. */
const maxFailedLooks = 6;
/** How long queues may take to say that they are empty. */
const answerTimeoutMs = 2_000;
const closeTimeoutMs = 1_000;

/**
 * Starts looking after queues.
 *
 * A quorum queue's name and the place of its data are saved about a second after it was declared (Ra: `names.dets`). A
 * broker that is killed before that lists the queue when it runs again, but has nothing to serve it with, or nobody who
 * leads it, and that stays so: it can be declared, and takes and gives nothing. What it held is lost by then. Who fills
 * it again finds that out as with any lost queue.
 */
export function startQueueRepair(options: QueueRepairOptions): QueueRepair {
  const { log } = options;
  const stopping = new AbortController();
  const inHand = new Map<string, Promise<void>>();
  const lookedAtMs = new Map<string, number>();

  const look = (queues: readonly string[]) => {
    const asked = queues.filter((queue) => !inHand.has(queue));
    if (stopping.signal.aborted || asked.length === 0) return;
    const serving = whichServe(options, asked, stopping.signal);
    for (const queue of asked) {
      lookedAtMs.set(queue, performance.now());
      const settled = serving
        .then((found) => (found.has(queue) ? undefined : lookAfter(options, queue, stopping.signal)))
        .catch((err: unknown) => {
          // With the broker away this ends, too; queues are looked at when there is a connection again.
          if (!stopping.signal.aborted) log.info({ err, queue }, 'broker: queue not looked after');
        })
        .finally(() => inHand.delete(queue));
      inHand.set(queue, settled);
    }
  };

  return {
    look,
    suspect: (queues) => {
      const before = performance.now() - lookEveryMs;
      look(queues.filter((queue) => (lookedAtMs.get(queue) ?? 0) < before));
    },
    settled: async (queue) => inHand.get(queue),
    close: async () => {
      stopping.abort();
      await waitAtMost(closeTimeoutMs, Promise.all(inHand.values()));
    },
  };
}

/** Looks at a queue that has failed once until it serves, or has failed long enough to be declared anew. */
async function lookAfter(options: QueueRepairOptions, queue: string, stopping: AbortSignal): Promise<void> {
  for (let failed = 1; failed < maxFailedLooks; failed++) {
    await pause(lookEveryMs, stopping);
    if ((await whichServe(options, [queue], stopping)).has(queue)) return;
  }
  await onOwnConnection(options, stopping, async (model) => {
    const channel = await model.createConfirmChannel();
    channel.on('error', () => undefined); // what was asked is rejected as well
    try {
      // Held until the connection ends, so that one process at a time declares it anew.
      await channel.assertQueue(`${queue}.repair`, { exclusive: true, durable: false });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === resourceLocked) return;
      throw error;
    }
    if ((await whichServe(options, [queue], stopping)).has(queue)) return;
    await declareAnew(options, channel, queue);
    options.log.error(
      { queue },
      'broker: a queue that served nobody was declared anew, without what it held',
    );
  });
}

/** AMQP 0-9-1, reply codes: somebody else's exclusive queue. */
const resourceLocked = 405;

/**
 * Deletes and declares a queue, twice: the first deletion may not find what the queue's name stands for in the broker's
 * records, and the next end of the broker would take the new queue for that again. Deleting one that works does.
 */
async function declareAnew(
  options: QueueRepairOptions,
  channel: ConfirmChannel,
  queue: string,
): Promise<void> {
  await channel.deleteQueue(queue);
  await options.declare(channel);
  const meanwhile: GetMessage[] = [];
  for (let next = await channel.get(queue); next; next = await channel.get(queue)) meanwhile.push(next);
  await channel.deleteQueue(queue);
  await options.declare(channel);
  for (const { content, properties } of meanwhile) channel.sendToQueue(queue, content, properties);
  await channel.waitForConfirms();
}

/**
 * Which of these queues give and take: those with messages or consumers do, an empty one must say that it is empty.
 * @throws when the broker is away.
 */
function whichServe(
  options: QueueRepairOptions,
  queues: readonly string[],
  stopping: AbortSignal,
): Promise<ReadonlySet<string>> {
  return onOwnConnection(options, stopping, async (model) => {
    const found = new Set<string>();
    // One that fails may cost the connection, and the others their answers: they are asked again.
    const ask = async (queue: string) => {
      if (await serves(model, queue).catch(() => false)) found.add(queue);
    };
    await waitAtMost(answerTimeoutMs, Promise.all(queues.map(ask)));
    return found;
  });
}

async function serves(model: ChannelModel, queue: string): Promise<boolean> {
  const channel = await model.createChannel();
  channel.on('error', () => undefined); // what was asked is rejected as well
  const { messageCount, consumerCount } = await channel.checkQueue(queue);
  // What arrives just now goes back when the connection closes.
  if (messageCount === 0 && consumerCount === 0) await channel.get(queue);
  return true;
}

/** Works on a connection of its own: a queue that can't be served may cost it, or never answer. */
async function onOwnConnection<T>(
  { url, name }: QueueRepairOptions,
  stopping: AbortSignal,
  work: (model: ChannelModel) => Promise<T>,
): Promise<T> {
  const model = await connect(withHeartbeat(url), {
    timeout: connectTimeoutMs,
    clientProperties: { connection_name: `${name}: looking after queues` },
  });
  const gone = new Promise<void>((resolve) => {
    model.on('close', resolve);
  });
  model.on('error', () => undefined); // 'close' follows
  try {
    stopping.throwIfAborted();
    return await unlessAborted(stopping, work(model));
  } finally {
    await closeModel(model, gone);
  }
}
