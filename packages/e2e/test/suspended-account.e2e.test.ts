import { setTimeout as delay } from 'node:timers/promises';
import { eventually, type ReceivedRequest, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from './system.ts';

/** The longest time until deliveries pause or resume after an operator's command, in milliseconds. */
const promisedMs = 1_000;

let system: TestSystem;
let receiver: Receiver;
/** An account that is never suspended, and so gets every event. */
let witness: Awaited<ReturnType<typeof customer>>;
const emails: string[] = [];

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver();
  witness = await customer('witness');
}, 240_000);
afterAll(async () => {
  for (const email of emails) await system.operator('account', 'delete', email, '--email', email);
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
}, 30_000);

const signalOf = ({ body }: ReceivedRequest) =>
  (JSON.parse(body.toString()) as { data: { id: string } }).data.id;

/** Makes an account with a subscription. */
async function customer(name: string) {
  const email = `${name}@sigcast.test`;
  emails.push(email);
  const account = await system.operator<{ id: string }>(
    ...['account', 'create', '--email', email, '--plan', 'unlimited'],
  );
  const { key } = await system.operator<{ key: string }>(
    ...['key', 'create', '--account', account.id, '--name', name],
  );
  const content = { url: `${receiver.url}/${name}`, events: ['signal.new'] };
  const ask = (path: string, init: RequestInit = {}) =>
    system.api(path, { ...init, headers: { authorization: `Bearer ${key}` } });
  const { response, body } = await ask('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify(content),
  });
  expect({ status: response.status, error: body.error }).toMatchObject({ status: 201 });
  const received = () => receiver.requests.filter(({ path }) => path === `/${name}`);
  return {
    ...account,
    email,
    ask,
    received,
    key: (await system.operator<{ keys: { id: string }[] }>('key', 'list', '--account', email)).keys[0]?.id,
    ids: () => received().map(signalOf),
    /** Resolves when events of all these signals have been received. */
    gets: (made: readonly string[]) =>
      eventually(() => {
        const got = new Set(received().map(signalOf));
        expect(made.filter((id) => !got.has(id))).toEqual([]);
      }),
    do: (command: 'suspend' | 'resume') => system.operator('account', command, account.id),
  };
}

/** Creates signals until it is stopped. */
function producing() {
  const made: string[] = [];
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      made.push(await system.createSignal());
      await delay(20);
    }
  })();
  return {
    made,
    stop: async () => {
      stopped = true;
      await running;
      await witness.gets(made);
    },
  };
}

describe('an account that an operator suspends', () => {
  it('gets no delivery from a second after the command on; resumed, it gets them within a second, each event once', async () => {
    const own = await customer('suspended');
    const producer = producing();
    await eventually(() => expect(own.received().length).toBeGreaterThan(5));
    const tookMs = { suspend: [] as number[], resume: [] as number[] };
    // A machine that stands still for a moment hardly does so each time.
    for (let round = 0; round < 3; round += 1) {
      await own.do('suspend');
      const suspended = Date.now();
      const quiet = async () => {
        const [before, meanwhile] = [own.received().length, witness.received().length];
        await eventually(() => expect(witness.received().length).toBeGreaterThan(meanwhile + 20));
        expect(own.received()).toHaveLength(before);
        return before;
      };
      const paused = await eventually(quiet, { timeoutMs: 60_000 });
      tookMs.suspend.push((own.received().at(-1)?.receivedAt ?? 0) - suspended);
      await own.do('resume');
      const resumed = Date.now();
      await eventually(() => expect(own.received().length).toBeGreaterThan(paused));
      tookMs.resume.push((own.received()[paused]?.receivedAt ?? 0) - resumed);
    }
    expect(Math.min(...tookMs.suspend)).toBeLessThan(promisedMs);
    expect(Math.min(...tookMs.resume)).toBeLessThan(promisedMs);
    await producer.stop();
    await own.gets(producer.made);
    expect(own.ids().sort()).toEqual([...new Set(own.ids())].sort());
  });

  it('has nothing left when it is deleted', async () => {
    const own = await customer('deleted');
    const before = await system.createSignal();
    await eventually(() => expect(own.ids()).toEqual([before]));
    emails.splice(emails.indexOf(own.email), 1);
    await system.operator('account', 'delete', own.id, '--email', own.email);
    expect((await own.ask('/v1/webhooks')).response.status).toBe(401);
    await eventually(async () => {
      const at = await system.createSignal();
      await witness.gets([at]);
      expect(own.ids()).not.toContain(at);
    });
  }, 60_000);
});

it('revoking the key that made a subscription leaves its deliveries alone', async () => {
  const own = await customer('revoked');
  await system.operator('key', 'revoke', String(own.key));
  expect((await own.ask('/v1/webhooks')).response.status).toBe(401);
  const id = await system.createSignal();
  await eventually(() => expect(own.ids()).toEqual([id]));
});
