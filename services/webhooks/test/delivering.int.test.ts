import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventTopology } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { suspectCrashes } from '../src/domain/delivery.ts';
import { waitingQueues } from '../src/domain/retry-schedule.ts';
import { mongoAttemptStore } from '../src/store/attempt-store.ts';
import { deliveryId } from '../src/store/fan-out-store.ts';
import { workQueue } from '../src/topology.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';

let f: Fixture;
const workers: AsyncDisposable[] = [];
beforeAll(async () => {
  f = await fixture();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker[Symbol.asyncDispose]();
});
afterAll(() => f[Symbol.asyncDispose]());

async function worker(options: Parameters<Fixture['startWorker']>[0] = {}): Promise<void> {
  workers.push(await f.startWorker(options));
}
const at = (path: string) => f.receiver.requests.filter((request) => request.path === path);
const stored = (event: string, hook: string) =>
  f.collections.deliveries.findById(deliveryId(event, hook)).lean();

describe('delivering', () => {
  it('sends what matches by event and type, signed, and nothing else', async () => {
    await worker();
    const hook = await f.subscribe('/match', { events: ['signal.winner'], types: ['wallet'] });
    const wanted = signalEvent('signal.winner', 'wallet');
    for (const event of [signalEvent('signal.new', 'wallet'), signalEvent('signal.winner', 'new'), wanted]) {
      await f.publish(event);
    }
    await eventually(() => expect(at('/match')).toHaveLength(1));
    const [request] = at('/match');
    expect(request?.headers['webhook-id']).toBe(wanted.id);
    const headers = request?.headers as Record<string, string>;
    expect(new Webhook(hook.secret).verify(request?.body.toString() ?? '', headers)).toMatchObject({
      event: 'signal.winner',
      data: { id: wanted.data.id, type: 'wallet' },
    });
    await eventually(async () =>
      expect(await stored(wanted.id, hook.id)).toMatchObject({ status: 'delivered' }),
    );
    expect(await f.collections.deliveries.countDocuments({ subscription: hook.id })).toBe(1);
  });

  it('makes exactly four attempts with the same bytes and id, then fails, visibly', async () => {
    await worker();
    const hook = await f.subscribe('/never');
    f.receiver.script('/never', 500, 204, 302, 'drop');
    const event = signalEvent();
    await f.publish(event);
    const record = await eventually(async () => {
      const found = await stored(event.id, hook.id);
      expect(found).toMatchObject({ status: 'failed', attempt_count: 4, next_attempt_at: null });
      return found;
    });
    expect(record?.attempts.map(({ outcome, http_status }) => [outcome, http_status])).toEqual([
      ['bad_status', 500],
      ['bad_status', 204],
      ['bad_status', 302],
      ['connection', null],
    ]);
    expect(at('/never').map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3', '4']);
    expect(new Set(at('/never').map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
  });

  it('counts a receiver that does not answer in time as failed, and tries again', async () => {
    await worker({ timeoutMs: 200 });
    const hook = await f.subscribe('/slow');
    f.receiver.script('/slow', 'hang', 200);
    const event = signalEvent();
    await f.publish(event);
    await eventually(async () => {
      const found = await stored(event.id, hook.id);
      expect(found?.attempts.map(({ outcome }) => outcome)).toEqual(['timeout', 'succeeded']);
    });
  });

  it('connects nowhere when a name leads to a refused address', async () => {
    await worker({ lookup: (_host, _options, done) => done(null, [{ address: '10.1.2.3', family: 4 }]) });
    const port = new URL(f.receiver.url).port;
    const hook = await f.subscribe('', { url: `http://hooks.test:${port}/rebound` });
    const event = signalEvent();
    await f.publish(event);
    await eventually(async () => {
      const found = await stored(event.id, hook.id);
      expect(found?.attempts[0]).toMatchObject({ outcome: 'refused_address', http_status: null });
    });
    expect(at('/rebound')).toHaveLength(0);
  });

  it('makes one delivery of an event that comes twice, with the first bytes', async () => {
    await worker();
    const hook = await f.subscribe('/twice');
    const event = signalEvent();
    await f.publish(event);
    await f.publish({ ...event, occurred_at: new Date(0).toISOString() });
    const last = signalEvent();
    await f.publish(last);
    await eventually(() =>
      expect(at('/twice').map(({ headers }) => headers['webhook-id'])).toContain(last.id),
    );
    await eventually(async () =>
      expect(await stored(event.id, hook.id)).toMatchObject({ status: 'delivered' }),
    );
    const bodies = at('/twice').filter(({ headers }) => headers['webhook-id'] === event.id);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]?.body.toString()).toContain(event.occurred_at);
  });

  it('holds up no healthy receiver while another one hangs with all its slots', async () => {
    await worker({ maxInFlight: 2, timeoutMs: 60_000 });
    await f.subscribe('/hanging');
    await f.subscribe('/healthy');
    f.receiver.script('/hanging', 'hang', 'hang');
    const events = Array.from({ length: 40 }, () => signalEvent());
    for (const event of events) await f.publish(event);
    await eventually(() =>
      expect(
        at('/healthy')
          .map(({ headers }) => headers['webhook-id'])
          .sort(),
      ).toEqual(events.map(({ id }) => id).sort()),
    );
    expect(at('/hanging')).toHaveLength(2);
    // Cut off, so that the worker can end.
    f.receiver.dropConnections();
  });

  it('drains a backlog that found no slot, without waiting for the sweeper', async () => {
    await worker({ maxInFlight: 1 });
    await f.subscribe('/backlog');
    const events = Array.from({ length: 30 }, () => signalEvent());
    await Promise.all(events.map((event) => f.publish(event)));
    await eventually(() =>
      expect(new Set(at('/backlog').map(({ headers }) => headers['webhook-id'])).size).toBe(30),
    );
  });

  it('delivers what is due although every message was lost', async () => {
    const hook = await f.subscribe('/wiped');
    const event = signalEvent();
    // Long enough for the queues to be gone before the pointer could come back.
    const retries = waitingQueues([3_000]);
    await worker({ retries });
    f.receiver.script('/wiped', 500);
    await f.publish(event);
    const queues = retries.flat().map(({ name }) => `${f.stack.namespace}.${name}`);
    await eventually(() =>
      f.broker.withChannel(async (channel) => {
        const waiting = await Promise.all(queues.map((queue) => channel.checkQueue(queue)));
        expect(waiting.reduce((sum, { messageCount }) => sum + messageCount, 0)).toBeGreaterThan(0);
      }),
    );
    await eventually(async () => expect(await stored(event.id, hook.id)).toMatchObject({ attempt_count: 1 }));
    await f.broker.withChannel(async (channel) => {
      const { namespace } = f.stack;
      for (const queue of [...queues, workQueue(namespace), eventTopology(namespace).fanout.queue]) {
        await channel.deleteQueue(queue);
      }
    });
    await eventually(
      async () => expect(await stored(event.id, hook.id)).toMatchObject({ status: 'delivered' }),
      { timeoutMs: 30_000 },
    );
  }, 45_000);

  it('sends nothing more to a subscription that was deleted, though a pointer comes back', async () => {
    const account = 'acct_gone';
    const made = await f
      .as(account, 'post', '/v1/webhooks')
      .send({ url: `${f.receiver.url}/gone`, events: ['signal.new'] });
    const { id } = (made.body as { data: { id: string } }).data;
    await worker({ retries: waitingQueues([60_000]) });
    f.receiver.script('/gone', 500);
    const event = signalEvent();
    await f.publish(event);
    await eventually(async () => expect(await stored(event.id, id)).toMatchObject({ attempt_count: 1 }));
    await f.as(account, 'delete', `/v1/webhooks/${id}`).expect(200);
    expect(await f.collections.deliveries.countDocuments({ subscription: id })).toBe(0);
    const body = Buffer.from(deliveryId(event.id, id));
    const routingKey = workQueue(f.stack.namespace);
    await f.broker.publish({ exchange: '', routingKey, messageId: 'again', body });
    const marker = await f.subscribe('/after');
    const last = signalEvent();
    await f.publish(last);
    await eventually(async () =>
      expect(await stored(last.id, marker.id)).toMatchObject({ status: 'delivered' }),
    );
    expect(at('/gone')).toHaveLength(1);
  });
});

describe('a lease', () => {
  /** A pending delivery that no worker knows of, and a store whose clock the test moves. */
  async function claimable() {
    const hook = await f.subscribe('/lease', { events: ['signal.rugged'] });
    const event = signalEvent('signal.rugged');
    const clock = { now: Date.now() };
    const id = deliveryId(event.id, hook.id);
    const created = new Date(clock.now);
    const subscription = await f.collections.subscriptions.findById(hook.id).lean();
    await f.collections.events.create([
      { _id: event.id, type: event.type, body: '{}', occurred_at: created, created_at: created },
    ]);
    await f.collections.deliveries.create([
      {
        ...{ _id: id, account: subscription?.account ?? '', subscription: hook.id, event_id: event.id },
        ...{
          event: 'signal.rugged' as const,
          signal_id: event.data.id,
          status: 'pending',
          attempt_count: 0,
          attempts: [],
        },
        ...{ next_attempt_at: created, lease: null, crashes: 0, created_at: created, updated_at: created },
      },
    ]);
    return { id, clock, store: mongoAttemptStore(f.collections, () => clock.now) };
  }
  const outcome = {
    attempt: {
      ...{ number: 1, started_at: new Date(0).toISOString(), duration_ms: 1, outcome: 'succeeded' as const },
      ...{ http_status: 200, error: null, response_body: '' },
    },
    status: 'delivered' as const,
    nextAttemptAt: null,
  };

  it('has one winner among many claims at once', async () => {
    const { id, store } = await claimable();
    const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(id)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });

  it("that ran out lets another worker attempt again, and refuses the first one's late outcome", async () => {
    const { id, clock, store } = await claimable();
    const zombie = await store.claim(id);
    expect(await store.claim(id)).toBeUndefined();
    clock.now += 20_000;
    const heir = await store.claim(id);
    if (!zombie || !heir) throw new Error('both must have been claimed');
    expect(await store.complete(zombie, outcome)).toBe(false);
    expect(await store.complete(heir, outcome)).toBe(true);
    const record = await f.collections.deliveries.findById(id).lean();
    expect(record?.attempts.map((attempt) => attempt.outcome)).toEqual(['interrupted', 'succeeded']);
    expect(record).toMatchObject({ attempt_count: 1, crashes: 0, status: 'delivered' });
  });

  it('whose holder dies time and again makes a suspect of the delivery, and no more', async () => {
    const { id, clock, store } = await claimable();
    for (let death = 0; death < 5; death++) {
      expect(await store.claim(id)).toBeDefined();
      clock.now += 20_000;
    }
    const claimed = await store.claim(id);
    expect(claimed?.delivery).toMatchObject({ status: 'pending', attemptCount: 0, crashes: suspectCrashes });
  });
});
