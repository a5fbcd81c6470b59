import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { verifyWebhook } from '@sigcast/client';
import { webhookPayloadSchema } from '@sigcast/contracts';
import { eventually, type ReceivedRequest, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from './command.ts';
import { sharedSystem, type TestSystem } from './system.ts';

const main = fileURLToPath(new URL('../../client/src/cli/main.ts', import.meta.url));

let system: TestSystem;
let receiver: Receiver;
const children: ChildProcess[] = [];

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
});

const sigcast = (...args: string[]) => startCommand(process.execPath, [main, ...args]);

function startCommand(program: string, args: readonly string[]) {
  const env = { SIGCAST_API_KEY: system.apiKey, SIGCAST_URL: system.gatewayUrl };
  const command = startProgram(program, args, { env });
  children.push(command.child);
  return command;
}

async function createMany(count: number): Promise<string[]> {
  const created: string[] = [];
  for (let n = 0; n < count; n++) created.push(await system.createSignal());
  return created;
}

/** The events after an event, in the order of the feed, with the ids of their signals. */
async function feedAfter(id: string) {
  const { body } = await system.api(`/v1/events?limit=100&after=${id}`);
  return (body.data as { id: string; data: { id: string } }[]).map((event) => ({
    id: event.id,
    signal: event.data.id,
  }));
}

const received = (path: string) => receiver.requests.filter((request) => request.path === path);
const idOf = ({ headers }: ReceivedRequest) => headers['webhook-id'] as string;
const secretIn = (err: string) => /^Signing secret: (.*)$/m.exec(err)?.[1] ?? '';
const positionIn = (err: string) => /--after (\S+)\n$/.exec(err)?.[1] ?? '';

async function restart(name: 'gateway' | 'webhooks-api', meanwhile: () => Promise<unknown>): Promise<void> {
  await system.processes[name].kill('SIGKILL');
  await meanwhile();
  await system.processes[name].start();
}

describe('sigcast on the real system', () => {
  it('posts to a local address the bytes that a webhook gets, with a signature that verifies', async () => {
    const { body } = await system.api('/v1/webhooks', {
      method: 'POST',
      body: JSON.stringify({ url: `${receiver.url}/webhook`, events: ['signal.new'] }),
    });
    const hook = body.data as { id: string; secret: string };
    const listening = sigcast('webhooks', 'listen', '--forward', `${receiver.url}/local`, '--test');
    await listening.says('Posting events to');
    const id = await system.createSignal();
    await eventually(() => expect(received('/local')).toHaveLength(2));
    await eventually(() => expect(received('/webhook')).toHaveLength(1));
    const [test, local] = received('/local') as [ReceivedRequest, ReceivedRequest];
    const [webhook] = received('/webhook') as [ReceivedRequest];
    const secret = secretIn(listening.err());
    expect(await verifyWebhook(local.body, local.headers, secret)).toMatchObject({ data: { id } });
    expect(local.body.equals(webhook.body)).toBe(true);
    expect(idOf(local)).toBe(idOf(webhook));
    expect(Object.keys(local.headers).sort()).toEqual(Object.keys(webhook.headers).sort());

    // The test event of the command line equals the API's own, except for its time.
    const trigger = sigcast('webhooks', 'trigger', hook.id);
    expect(await trigger.ended).toEqual({ code: 0, signal: null });
    expect(trigger.out()).toMatch(/^Delivered evt_\S+ in \d+ ms\n$/);
    const timeless = ({ body: bytes }: ReceivedRequest) => {
      const { timestamp, data, ...rest } = webhookPayloadSchema.parse(JSON.parse(bytes.toString()));
      expect(data).toHaveProperty('created_at', timestamp);
      return { ...rest, data: { ...data, created_at: '' } };
    };
    expect(timeless(test)).toEqual(timeless(received('/webhook')[1] as ReceivedRequest));

    const deliveries = sigcast('deliveries', 'list', hook.id, '--json');
    await deliveries.ended;
    const [page] = deliveries.lines<{ data: { id: string; status: string }[] }>();
    expect(page?.data.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
    const retry = sigcast('deliveries', 'retry', page?.data[1]?.id ?? '');
    expect(await retry.ended).toEqual({ code: 0, signal: null });
    await eventually(() => expect(received('/webhook')).toHaveLength(3));
    await system.api(`/v1/webhooks/${hook.id}`, { method: 'DELETE' });

    listening.pressCtrlC();
    expect(await listening.ended).toEqual({ code: 130, signal: null });
    expect(positionIn(listening.err())).toBe(idOf(local));
  });

  it('listening through kills of the gateway and the webhooks api, and a receiver that fails, misses and reorders nothing', async () => {
    const path = '/failing';
    const start = (...more: string[]) =>
      sigcast('webhooks', 'listen', '--forward', `${receiver.url}${path}`, '--json', ...more);
    const first = start();
    await first.says('Posting events to');
    const started = positionIn((await idle()).err());
    receiver.script(path, 200, 503, 'drop', 200, 200, 500);
    const created = await createMany(3);
    await restart('gateway', async () => created.push(...(await createMany(4))));
    await eventually(() => expect(received(path).length).toBeGreaterThanOrEqual(10), { timeoutMs: 40_000 });
    first.pressCtrlC();
    expect(await first.ended).toEqual({ code: 130, signal: null });
    expect(first.err()).toContain('Not connected: ');

    // Events that happen while no command runs come with the next start.
    created.push(...(await createMany(3)));
    const second = start('--after', positionIn(first.err()));
    await eventually(() => expect(received(path).length).toBeGreaterThanOrEqual(13), { timeoutMs: 30_000 });
    await restart('webhooks-api', async () => created.push(...(await createMany(2))));
    await eventually(() => expect(received(path).length).toBeGreaterThanOrEqual(15), { timeoutMs: 30_000 });
    second.pressCtrlC();
    expect(await second.ended).toEqual({ code: 130, signal: null });

    const feed = await feedAfter(started);
    expect(feed.map(({ signal }) => signal).sort()).toEqual(created.sort());
    const taken = [...first.lines<Line>(), ...second.lines<Line>()].filter(({ status }) => status === 200);
    expect(taken.map(({ id }) => id)).toEqual(feed.map(({ id }) => id));
    // An event may arrive several times, but never a later event in between.
    const inOrder = received(path).map(idOf);
    expect(inOrder.filter((id, at) => id !== inOrder[at - 1])).toEqual(feed.map(({ id }) => id));
    expect(inOrder).toHaveLength(feed.length + 3);
    const secret = secretIn(second.err());
    for (const { body, headers } of received(path)) await verifyWebhook(body, headers, secret);
  });
});

type Line = { readonly id: string; readonly status?: number };

/** A command that ended before any event: its last line names the present position. */
async function idle() {
  const command = sigcast('events', 'tail');
  await command.says('Following events');
  command.pressCtrlC();
  await command.ended;
  return command;
}
