import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventTopology, eventTopology, SigcastError } from '@sigcast/contracts';
import { type Logger, silentLogger } from '@sigcast/runtime';
import { type Broker, type BrokerAddresses, connectBroker, eventDeclarations } from '../src/index.ts';

/** What consumers found in one queue. */
type Consumed = { readonly queue: string; readonly ids: ReadonlySet<string> };

/** Messages that flow all the time through the queues of signal events, published as the outbox does. */
export type EventLoad = AsyncDisposable & {
  readonly topology: EventTopology;
  readonly publisher: Broker;
  /** Ids that the broker confirmed, in order. */
  readonly confirmed: readonly string[];
  readonly consumed: readonly Consumed[];
  /** Publishes no more, and resolves when everything begun is confirmed. */
  stop(): Promise<void>;
};

/** How many loops publish at once. Each repeats a message until it is confirmed, and then makes the next one. */
const publishers = 20;
const pauseMs = 100;

/** Starts a load on a cluster, with one broker client that publishes and three that consume. */
export async function startEventLoad(
  addresses: BrokerAddresses,
  log: Logger = silentLogger(),
): Promise<EventLoad> {
  await using scope = new AsyncDisposableStack();
  const topology = eventTopology(`t${randomUUID()}`);
  const open = (name: string) =>
    connectBroker({ ...addresses, name, declare: eventDeclarations(topology) }, log, scope);
  const publisher = await open('publisher');
  const confirmed: string[] = [];
  const consumed = [];
  for (const { queue, parked } of [topology.stats, topology.fanout, topology.tracker]) {
    const ids = new Set<string>();
    const consumer = await open(queue);
    await consumer.consume({
      queue,
      parked,
      prefetch: 20,
      handle: async ({ id }) => void ids.add(id),
    });
    consumed.push({ queue, ids });
  }

  let stopping = false;
  let ended = false;
  const publishOne = async (messageId: string) => {
    for (;;) {
      try {
        const message = { exchange: topology.exchange, routingKey: 'signal.new', messageId };
        return await publisher.publish({ ...message, body: Buffer.from('{}') });
      } catch (error) {
        if (ended || !(error instanceof SigcastError && error.retryable)) throw error;
        await delay(pauseMs);
      }
    }
  };
  const publish = async () => {
    while (!stopping) {
      const id = randomUUID();
      await publishOne(id);
      confirmed.push(id);
      await delay(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: publishers }, publish));
  running.catch(() => undefined); // `stop` awaits it
  const held = scope.move();
  return {
    topology,
    publisher,
    confirmed,
    consumed,
    stop: async () => {
      stopping = true;
      await running;
    },
    [Symbol.asyncDispose]: () => {
      stopping = true;
      ended = true;
      return held.disposeAsync();
    },
  };
}
