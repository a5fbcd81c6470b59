import { randomUUID } from 'node:crypto';
import { brokerName } from '@sigcast/contracts';
import { createLogger, type Logger, silentLogger } from '@sigcast/runtime';
import { eventually, startTcpProxy, type TcpProxy, type TestStack } from '@sigcast/testing';
import type { GetMessage } from 'amqplib';
import type { Registry } from 'prom-client';
import { expect } from 'vitest';
import {
  type Broker,
  type Channel,
  connectBroker,
  type DeclareTopology,
  declareQueue,
  type OutgoingMessage,
} from '../src/index.ts';

/** A queue and its parking queue, of the calling test alone. */
export type Queues = {
  readonly queue: string;
  readonly parked: string;
  readonly declare: (channel: Channel) => Promise<void>;
};

export function ownQueues(stack: TestStack): Queues {
  const base = `q.${randomUUID()}`;
  stack.ownQueues(base, `${base}.parked`);
  const queue = brokerName(stack.namespace, base);
  const parked = `${queue}.parked`;
  return {
    queue,
    parked,
    declare: (channel) => declareQueue(channel, { queue, parked }),
  };
}

/** A broker client that ends with its scope. Like a service, it waits 3 s for the broker. */
export async function startBroker(
  addresses: string | readonly string[],
  declare: DeclareTopology | readonly DeclareTopology[],
  log = silentLogger(),
  registry?: Registry,
): Promise<Broker & AsyncDisposable & { readonly stop: () => Promise<void> }> {
  const resources = new AsyncDisposableStack();
  const settings = {
    urls: [addresses].flat(),
    name: 'test',
    declare: [declare].flat(),
    declareEveryMs: 100,
    ...(registry && { registry }),
  };
  const broker = await connectBroker(settings, log, resources);
  const stop = () => resources.disposeAsync();
  // The original is the prototype, so that `connected` stays a getter.
  return Object.assign(Object.create(broker) as Broker, { stop, [Symbol.asyncDispose]: stop });
}

/** A broker connection that ends with its scope. */
export async function openBroker(...args: Parameters<typeof startBroker>): ReturnType<typeof startBroker> {
  const broker = await startBroker(...args);
  // On a busy machine the broker may take longer than a service waits for it at its start.
  await eventually(() => expect(broker.connected).toBe(true));
  return broker;
}

/** A proxy in front of the broker, and the broker's address by way of it. */
export async function brokerProxy(stack: TestStack): Promise<TcpProxy & { readonly url: string }> {
  const { hostname, port } = new URL(stack.amqpUrl);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port || 5672) });
  return Object.assign(Object.create(proxy) as TcpProxy, {
    url: proxy.through(stack.amqpUrl),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  });
}

/** A message straight into a queue. */
export function messageTo(queue: string, body: string): OutgoingMessage {
  return { exchange: '', routingKey: queue, messageId: `msg_${body}`, body: Buffer.from(body) };
}

/** Takes the next message of a queue, if there is one. */
export async function take(broker: Broker, queue: string): Promise<GetMessage | undefined> {
  return (await broker.withChannel((channel) => channel.get(queue, { noAck: true }))) || undefined;
}

/** One line of a log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A log that is kept, of every level. */
export function keptLog(): { readonly log: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as LogLine);
  return { log: createLogger({ service: 'test', level: 'trace', destination: { write } }), lines };
}
