import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
import { changedSources, releasedCommit, sourcesAt } from './releases/trees.ts';
import { newSignal, type TestSystem, testSystem } from './system.ts';

/** Those that make events, and those that read them. */
const sides = {
  producers: ['signals', 'gateway'],
  consumers: ['stats', 'webhooks-api', 'webhooks-worker'],
} as const satisfies Record<string, readonly ProcessName[]>;
type Side = keyof typeof sides;

const dir = mkdtempSync(join(tmpdir(), 'sigcast-releases-'));
const stack = testStack();
const patient = { timeoutMs: 60_000, everyMs: 100 };
/** A bound for what hangs. */
const hangs = 240_000;

let releases: Readonly<Record<'previous' | 'present' | 'next', string>>;
let running: Record<Side, keyof typeof releases>;
let system: TestSystem;
let receiver: Receiver;
let broker: TcpProxy;
/** What subscribers have to get, as `event id-of-signal`. */
const expected = new Set<string>();
/** A queue of the test's own. */
let tap: ChannelModel | undefined;
/** Ids of events that say where they come from, as they went through the broker. */
const withMore = new Set<string>();

beforeAll(async () => {
  releases = {
    previous: sourcesAt(releasedCommit(), join(dir, 'previous')),
    present: join(import.meta.dirname, '..', '..', '..'),
    // The present one, whose events say where they come from.
    next: changedSources(join(dir, 'next'), [
      {
        file: 'packages/contracts/src/events.ts',
        from: '  rev: z.int().min(1),\n',
        to: '  rev: z.int().min(1),\n  source: z.string().optional(),\n',
      },
      {
        file: 'services/signals/src/domain/signal.ts',
        from: '    version: signalEventVersion,\n',
        to: "    version: signalEventVersion,\n    source: 'a member more',\n",
      },
    ]),
  };
  running = { producers: 'previous', consumers: 'previous' };
  receiver = await startReceiver();
  const { hostname, port } = new URL(stack.amqpUrl);
  broker = await startTcpProxy({ host: hostname, port: Number(port || 5_672) });
  const sourcesOf = (name: ProcessName) =>
    releases[sides.consumers.some((consumer) => consumer === name) ? running.consumers : running.producers];
  system = await testSystem({ AMQP_URL: broker.through(stack.amqpUrl) }, stack, sourcesOf);
  tap = await connect(stack.amqpUrl);
  const channel = await tap.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, eventTopology(stack.namespace).exchange, 'signal.*');
  await channel.consume(
    queue,
    (message) => {
      const { id, source } = JSON.parse(message?.content.toString() ?? '{}') as Record<string, string>;
      if (id !== undefined && source === 'a member more') withMore.add(id);
    },
    { noAck: true },
  );
  const { response } = await system.api('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: `${receiver.url}/all`, events: ['signal.new', 'signal.winner'] }),
  });
  expect(response.status).toBe(201);
}, hangs);

afterAll(async () => {
  await tap?.close();
  await system?.stop();
  await receiver?.[Symbol.asyncDispose]();
  await broker?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
}, hangs);

/** Lets one side run another release, as a rolling update or its undoing does. */
async function run(side: Side, release: keyof typeof releases): Promise<void> {
  running[side] = release;
  await Promise.all(
    sides[side].map(async (name) => {
      await system.processes[name].stop();
      await system.processes[name].start();
    }),
  );
}

/** A signal that becomes a winner: two events. */
async function makeWinner(): Promise<void> {
  const { response, body } = await system.ingest('POST', '', newSignal());
  expect(response.status).toBe(201);
  const { id } = body.data as { id: string };
  const changed = await system.ingest('PATCH', `/${id}`, { status: 'winner' });
  expect(changed.response.status).toBe(200);
  expected.add(`signal.new ${id}`).add(`signal.winner ${id}`);
}

function received(): Set<string> {
  const payloads = receiver.requests.map(({ body }) => JSON.parse(body.toString()) as WebhookPayload);
  return new Set(payloads.map(({ event, data }) => `${event} ${data.id}`));
}

/** Every event so far has reached the subscriber, and statistics count every signal. */
async function nothingIsLost(): Promise<void> {
  await eventually(() => expect(received()).toEqual(expected), patient);
  await eventually(async () => {
    const { body } = await system.api('/v1/stats');
    expect(body.data).toMatchObject({ total_signals: expected.size / 2, winners: expected.size / 2 });
  }, patient);
}

/** Messages in a queue. */
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
  const { stats, fanout } = eventTopology(stack.namespace);
  for (const queue of [stats.parked, fanout.parked, accountTopology(stack.namespace).webhooks.parked]) {
    expect([queue, await messagesIn(queue)]).toEqual([queue, 0]);
  }
}

describe('two releases side by side', () => {
  it(
    'the previous release and this one read each other’s events, whichever sends: nothing is parked or lost',
    async () => {
      await makeWinner();
      await nothingIsLost();
      for (const [side, release] of [
        ['producers', 'present'],
        ['consumers', 'present'],
        ['producers', 'previous'],
        ['producers', 'present'],
      ] as const) {
        await run(side, release);
        await makeWinner();
        await nothingIsLost();
      }
      await nothingIsParked();
    },
    hangs,
  );

  it(
    'a member more in events is read by this release, rolled back while events wait in outboxes, and comes back: nothing is parked or lost',
    async () => {
      await run('producers', 'next');
      await makeWinner();
      await nothingIsLost();
      // Events of the next release wait for the broker, and meet the present release.
      broker.refuse();
      broker.cut();
      await makeWinner();
      await makeWinner();
      await system.processes.signals.kill('SIGKILL');
      running.producers = 'present';
      broker.restore();
      await system.processes.signals.start();
      await nothingIsLost();
      // Two of each signal, those that the present release passed on among them.
      await eventually(() => expect(withMore.size).toBe(6), patient);
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
