import { type Logger, pause } from '@sigcast/runtime';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import { closeModel, connectTimeoutMs } from './connection.ts';

/** Declares queues anew that the broker lists and can't serve. */
export type QueueRepair = {
  /** The broker took nothing into this queue, or let nobody consume from it. Returns at once. */
  suspect(queue: string): void;
  close(): Promise<void>;
};

export type QueueRepairOptions = {
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly declare: (channel: Channel) => Promise<void>;
  readonly log: Logger;
};

/** How often a suspected queue is looked at, in milliseconds. */
const lookEveryMs = 5_000;
/** Looks a queue fails, one after the other, before it is declared anew: 30 s, far longer than an election of its leader. */
const maxFailedLooks = 6;
/** How long a queue may take to say that it is empty. */
const answerTimeoutMs = 2_000;

/**
 * Starts looking after suspected queues.
 *
 * A quorum queue's name and the place of its data are saved about a second after it was declared (Ra: `names.dets`). A
 * broker that is killed before that lists the queue when it runs again, but has nothing to serve it with, or nobody who
 * leads it, and that stays so: it can be declared, and takes and gives nothing. What it held is lost by then, so nothing
 * is lost by deleting it. Who fills it again finds that out as with any lost queue.
 */
export function startQueueRepair(options: QueueRepairOptions): QueueRepair {
  const { log } = options;
  const stopping = new AbortController();
  const suspects = new Map<string, Promise<void>>();
  return {
    suspect: (queue) => {
      if (stopping.signal.aborted || suspects.has(queue)) return;
      const examined = examine(options, queue, stopping.signal)
        .catch((err: unknown) => {
          if (!stopping.signal.aborted) log.warn({ err, queue }, 'broker: suspected queue not looked after');
        })
        .finally(() => suspects.delete(queue));
      suspects.set(queue, examined);
    },
    close: async () => {
      stopping.abort();
      await Promise.all(suspects.values());
    },
  };
}

/** Looks until a queue has served, or has failed long enough to be declared anew, or the broker is away. */
async function examine(options: QueueRepairOptions, queue: string, stopping: AbortSignal): Promise<void> {
  for (let failed = 1; ; failed++) {
    if (await onOwnConnection(options, (model) => serves(model, queue))) return;
    if (failed === maxFailedLooks) break;
    await pause(lookEveryMs, stopping);
  }
  await onOwnConnection(options, async (model) => {
    const channel = await model.createChannel();
    // Twice: the first deletion may not find what its name stood for, and the next crash would find that again.
    for (let turn = 0; turn < 2; turn++) {
      await channel.deleteQueue(queue);
      await options.declare(channel);
    }
  });
  options.log.error({ queue }, 'broker: a queue that served nobody for 30 s was declared anew, empty');
}

/** AMQP 0-9-1, reply codes: what a queue without a leader is answered with, at last. */
const internalError = 541;

/**
 * Whether a queue gives and takes. One with messages or consumers does; an empty one must say that it is empty.
 * @throws when the broker is away, or the queue is not there.
 */
async function serves(model: ChannelModel, queue: string): Promise<boolean> {
  let refusal: unknown;
  model.on('error', (error: unknown) => {
    refusal = error;
  });
  const channel = await model.createChannel();
  channel.on('error', () => undefined); // it rejects what was asked as well
  const { messageCount, consumerCount } = await channel.checkQueue(queue);
  if (messageCount > 0 || consumerCount > 0) return true;
  const late = Symbol('late');
  try {
    // What arrives just now goes back when the connection closes.
    return (await Promise.race([channel.get(queue), pause(answerTimeoutMs).then(() => late)])) !== late;
  } catch (error) {
    if (refusal instanceof Error && 'code' in refusal && refusal.code === internalError) return false;
    throw error;
  }
}

/** A connection for one question: what a broken queue is asked may cost the connection, or never be answered. */
async function onOwnConnection<T>(
  { url, name }: QueueRepairOptions,
  work: (model: ChannelModel) => Promise<T>,
): Promise<T> {
  const model = await connect(url, {
    timeout: connectTimeoutMs,
    clientProperties: { connection_name: `${name}: looking after a queue` },
  });
  const gone = new Promise<void>((resolve) => {
    model.on('close', resolve);
  });
  model.on('error', () => undefined); // 'close' follows
  try {
    return await work(model);
  } finally {
    await closeModel(model, gone);
  }
}
