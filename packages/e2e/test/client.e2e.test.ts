import { Sigcast, type SignalListItem, verifyWebhook } from '@sigcast/client';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from './system.ts';

let system: TestSystem;
let receiver: Receiver;
let sigcast: Sigcast;

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver();
  sigcast = new Sigcast({ apiKey: system.apiKey, baseUrl: system.gatewayUrl });
}, 240_000);

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
}, 30_000);

async function collect(items: AsyncIterable<SignalListItem>): Promise<SignalListItem[]> {
  const collected: SignalListItem[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe('the client on the real system', () => {
  it('reads a list to its end, a detail, and statistics that agree with them, in all and by the hour', async () => {
    const contract = '0x000000000000000000000000000000000c11e471';
    const count = async () => (await sigcast.stats.get({ type: '30d', period: '24h' })).data.total_signals;
    const before = await count();
    const created = new Set<string>();
    for (let n = 0; n < 25; n++) created.add(await system.createSignal('30d', { contract }));
    const read = await collect(sigcast.signals.iterate({ type: '30d', contract, limit: 10 }));
    expect(read.map(({ id }) => id).sort()).toEqual([...created].sort());
    const { meta, rateLimit } = await sigcast.signals.list({
      type: ['30d'],
      status: 'active',
      contract,
      page: 2,
      limit: 10,
    });
    expect(meta).toMatchObject({ total: 25, page: 2, per_page: 10, total_pages: 3 });
    expect(rateLimit).toMatchObject({ limit: 1_000_000, degraded: false });

    const [newest] = read;
    const { data: detail, requestId } = await sigcast.signals.get(newest?.id ?? '');
    expect(detail).toMatchObject({
      id: newest?.id,
      token: { dex_paid: true },
      metrics: { mcap_ath: 100_000 },
    });
    expect(requestId).toMatch(/^req_/);
    await expect(sigcast.signals.get(`${detail.id.slice(0, -1)}_`)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await eventually(async () => expect(await count()).toBe(before + 25));
    const { data: series } = await sigcast.stats.series({ type: '30d', period: '24h' });
    expect(series).toMatchObject({ period: '24h', interval: 'hour' });
    expect(series.points.length).toBeGreaterThanOrEqual(24);
    expect(series.points.reduce((sum, { total_signals }) => sum + total_signals, 0)).toBe(before + 25);
  }, 40_000);

  it('subscribes, receives a delivery that verifies, reads the log, and unsubscribes', async () => {
    const { data: hook } = await sigcast.webhooks.create({
      url: `${receiver.url}/client`,
      events: ['signal.new'],
      types: ['wallet'],
      description: 'mine',
    });
    const id = await system.createSignal('wallet');
    const request = await eventually(() => {
      const [first] = receiver.requests.filter(({ path }) => path === '/client');
      if (!first) throw new Error('no delivery yet');
      return first;
    });
    const payload = await verifyWebhook(request.body, request.headers, hook.secret);
    expect(payload).toMatchObject({ event: 'signal.new', data: { id, type: 'wallet' } });
    const forged = verifyWebhook(`${request.body.toString()} `, request.headers, hook.secret);
    await expect(forged).rejects.toMatchObject({ reason: 'no_matching_signature' });

    expect((await sigcast.webhooks.get(hook.id)).data).toMatchObject({
      description: 'mine',
      status: 'enabled',
    });
    expect((await sigcast.webhooks.list()).data.map((listed) => listed.id)).toEqual([hook.id]);
    await eventually(async () => {
      const { data: deliveries } = await sigcast.webhooks.deliveries(hook.id);
      expect(deliveries).toMatchObject([{ signal_id: id, status: 'delivered', attempt_count: 1 }]);
      const { data } = await sigcast.webhooks.delivery(hook.id, deliveries[0]?.id ?? '');
      expect(data.attempts).toMatchObject([{ number: 1, outcome: 'succeeded', http_status: 200 }]);
    });
    expect((await sigcast.webhooks.delete(hook.id)).data).toEqual({ id: hook.id, deleted: true });
    expect((await sigcast.webhooks.list()).meta.total).toBe(0);
  }, 40_000);

  it('creates one subscription for one idempotency key, also from two processes at once', async () => {
    const hook = { url: `${receiver.url}/once`, events: ['signal.winner'] } as const;
    const other = new Sigcast({ apiKey: system.apiKey, baseUrl: system.gatewayUrl });
    const idempotencyKey = 'deploy-7';
    const made = await Promise.all(
      [sigcast, other].map(({ webhooks }) => webhooks.create(hook, { idempotencyKey })),
    );
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
    expect((await sigcast.webhooks.list()).data.map(({ id }) => id)).toEqual([made[0]?.data.id]);
    await sigcast.webhooks.delete(made[0]?.data.id ?? '');
    expect((await sigcast.webhooks.list()).meta.total).toBe(0);
  }, 40_000);

  it('waits when it reaches the limit of its plan, and continues', async () => {
    await system.operator('plan', 'set', 'narrow', '--per-minute', '3', '--per-day', '1000');
    const account = await system.operator<{ id: string }>(
      ...['account', 'create', '--email', 'narrow@sigcast.test', '--plan', 'narrow'],
    );
    const { key } = await system.operator<{ key: string }>(
      ...['key', 'create', '--account', account.id, '--name', 'narrow'],
    );
    const pausesMs: number[] = [];
    const narrow = new Sigcast(
      { apiKey: key, baseUrl: system.gatewayUrl },
      {
        now: () => 0,
        random: () => 0,
        // Gets a wider plan instead of waiting for a minute.
        pause: async (ms) => {
          pausesMs.push(ms);
          await system.operator('account', 'plan', account.id, 'unlimited');
          // A gateway repeats a refusal for a tenth of a second without asking anybody.
          await eventually(async () => {
            const headers = { authorization: `Bearer ${key}` };
            expect((await fetch(`${system.gatewayUrl}/v1/signals?limit=1`, { headers })).status).toBe(200);
          });
        },
      },
    );
    for (let n = 0; n < 4; n++) await narrow.signals.list({ limit: 1 });
    expect(pausesMs).toHaveLength(1);
    expect(pausesMs[0]).toBeGreaterThanOrEqual(1_000);
  }, 40_000);
});
