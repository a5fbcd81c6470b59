import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountTopology, eventTopology, type WebhookPayload } from '@sigcast/contracts';
import type { ProcessName } from '@sigcast/local';
import {
  eventually,
  type Receiver,
  startReceiver,
  startTcpProxy,
  type TcpProxy,
  testStack,
} from '@sigcast/testing';
import { type ChannelModel, connect } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedSources, releasedCommit, sourcesAt } from './releases/trees.ts';
import { type TestSystem, testSystem } from './system.ts';

/** The processes that make events, and the processes that read them. */
const sides = {
  producers: ['signals', 'gateway'],
  consumers: ['stats', 'tracker', 'webhooks-api', 'webhooks-worker'],
} as const satisfies Record<string, readonly ProcessName[]>;
type Side = keyof typeof sides;

const dir = mkdtempSync(join(tmpdir(), 'sigcast-releases-'));
const stack = testStack();
const patient = { timeoutMs: 60_000, everyMs: 100 };
/** The timeout of a test; no test needs it unless something hangs. */
const hangs = 240_000;

let releases: Readonly<Record<'previous' | 'present' | 'next', string>>;
let running: Record<Side, keyof typeof releases>;
let system: TestSystem;
let receiver: Receiver;
let broker: TcpProxy;
/** The webhooks that subscribers must get, as `path event id-of-signal`. */
const expected = new Set<string>();
/** Paths of the receiver, one for each subscription. */
const subscribers: string[] = [];
let winners = 0;
/** The connection of a queue of the test's own, which gets all events. */
let tap: ChannelModel | undefined;
/** Ids of the events with the additional member `source` that went through the broker. */
const withSource = new Set<string>();

beforeAll(async () => {
  releases = {
    previous: sourcesAt(releasedCommit(), join(dir, 'previous')),
    present: join(import.meta.dirname, '..', '..', '..'),
    // The present release, with an additional member `source` in its events.
    next: changedSources(join(dir, 'next'), [
      {
        file: 'packages/contracts/src/events.ts',
        from: '  rev: z.int().min(1).meta({ example: 1 }),\n',
        to: '  rev: z.int().min(1).meta({ example: 1 }),\n  source: z.string().optional(),\n',
      },
      {
        file: 'services/signals/src/domain/signal.ts',
        from: '    version: signalEventVersion,\n',
        to: "    version: signalEventVersion,\n    source: 'an additional member',\n",
      },
    ]),
  };
  running = { producers: 'previous', consumers: 'previous' };
  receiver = await startReceiver();
  const { hostname, port } = new URL(stack.amqpUrl);
  broker = await startTcpProxy({ host: hostname, port: Number(port || 5_672) });
  const sourcesOf = (name: ProcessName) => {
    const side = sides.consumers.some((consumer) => consumer === name) ? 'consumers' : 'producers';
    return releases[running[side]];
  };
  // With tracing, outboxes and messages of this release have trace ids. There is no collector, and the spans are lost.
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER_ARG: '1' };
  system = await testSystem({ AMQP_URL: broker.through(stack.amqpUrl), ...traced }, stack, sourcesOf);
  tap = await connect(stack.amqpUrl);
  const channel = await tap.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, eventTopology(stack.namespace).exchange, 'signal.*');
  await channel.consume(
    queue,
    (message) => {
      const { id, source } = JSON.parse(message?.content.toString() ?? '{}') as Record<string, string>;
      if (id !== undefined && source === 'an additional member') withSource.add(id);
    },
    { noAck: true },
  );
  await subscribe();
}, hangs);

afterAll(async () => {
  await tap?.close();
  await system?.stop();
  await receiver?.[Symbol.asyncDispose]();
  await broker?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
}, hangs);

/** Restarts one side with another release, as an update or a rollback does. */
async function run(side: Side, release: keyof typeof releases): Promise<void> {
  running[side] = release;
  await Promise.all(
    sides[side].map(async (name) => {
      await system.processes[name].stop();
      await system.processes[name].start();
    }),
  );
}

/** Makes a subscription with the release that runs. */
async function subscribe(): Promise<void> {
  const path = `/${subscribers.length}-made-by-${running.consumers}`;
  const { response } = await system.api('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: `${receiver.url}${path}`, events: ['signal.new', 'signal.winner'] }),
  });
  expect(response.status).toBe(201);
  subscribers.push(path);
}

/** Creates a signal that becomes a winner, which makes two events. */
async function makeWinner(): Promise<void> {
  const id = await system.createSignal();
  const changed = await system.ingest('PATCH', `/${id}`, { status: 'winner' });
  expect(changed.response.status).toBe(200);
  winners += 1;
  for (const path of subscribers) expected.add(`${path} signal.new ${id}`).add(`${path} signal.winner ${id}`);
}

function received(): Set<string> {
  return new Set(
    receiver.requests.map(({ path, body }) => {
      const { event, data } = JSON.parse(body.toString()) as WebhookPayload;
      return `${path} ${event} ${data.id}`;
    }),
  );
}

/** Waits until every event so far has reached its subscribers, and statistics count every signal. */
async function nothingIsLost(): Promise<void> {
  await eventually(() => expect(received()).toEqual(expected), patient);
  await eventually(async () => {
    const { body } = await system.api('/v1/stats');
    expect(body.data).toMatchObject({ total_signals: winners, winners });
  }, patient);
}

/** The number of messages in a queue. */
async function messagesIn(queue: string): Promise<number> {
  const model = await connect(stack.amqpUrl);
  try {
    const channel = await model.createChannel();
    return (await channel.checkQueue(queue)).messageCount;
  } finally {
    await model.close();
  }
}

async function nothingIsParked(): Promise<void> {
  const { stats, tracker, fanout } = eventTopology(stack.namespace);
  for (const queue of [
    stats.parked,
    tracker.parked,
    fanout.parked,
    accountTopology(stack.namespace).webhooks.parked,
  ]) {
    expect([queue, await messagesIn(queue)]).toEqual([queue, 0]);
  }
}

describe('two releases side by side', () => {
  it(
    'the previous release and this one read each other’s events and documents, whichever writes: nothing is parked or lost',
    async () => {
      await makeWinner();
      await nothingIsLost();
      for (const [side, release] of [
        ['producers', 'present'],
        ['consumers', 'present'],
        ['producers', 'previous'],
        ['consumers', 'previous'],
      ] as const) {
        await run(side, release);
        if (side === 'consumers') await subscribe();
        await makeWinner();
        await nothingIsLost();
      }
      await nothingIsParked();
    },
    hangs,
  );

  it(
    'events with an additional member are read by this release and survive a rollback while they wait in outboxes: nothing is parked or lost',
    async () => {
      await Promise.all([run('producers', 'next'), run('consumers', 'present')]);
      await makeWinner();
      await nothingIsLost();
      // Events of the next release wait for the broker in outboxes, and the present release publishes them.
      broker.refuse();
      broker.cut();
      await makeWinner();
      await makeWinner();
      await system.processes.signals.kill('SIGKILL');
      running.producers = 'present';
      broker.restore();
      await system.processes.signals.start();
      await nothingIsLost();
      // Two events of each signal, including those that the present release has published.
      await eventually(() => expect(withSource.size).toBe(6), patient);
      await run('consumers', 'next');
      await makeWinner();
      await nothingIsLost();
      await run('producers', 'next');
      await makeWinner();
      await nothingIsLost();
      await nothingIsParked();
    },
    hangs,
  );
});
