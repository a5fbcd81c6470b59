import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  eventTopology,
  type SignalType,
  type WebhookPayload,
  webhookPayloadSchema,
} from '@sigcast/contracts';
import { type MarketProcesses, processNames, startMarket } from '@sigcast/local';
import { documentedMetrics, type ExposedMetrics, readExposed, usedMetrics } from '@sigcast/observability';
import { eventually, type ReceivedRequest, type Receiver, startReceiver } from '@sigcast/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deciderToken, newSignal, sharedSystem, type TestSystem } from './system.ts';

type Signal = {
  id: string;
  metrics: { mcap_ath: number };
  performance: { status: string; roi: number; ath_roi: number };
};

let system: TestSystem;
let receiver: Receiver;
let market: MarketProcesses;
const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-market-'));

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver();
  market = await startMarket({
    dataDir,
    system,
    ingestToken: system.ingestToken,
    scannerToken: system.ingestToken,
    redisUrlOf: () => system.stack.redisUrl,
    trackerToken: await deciderToken(system),
    sources: { SCANNER_DEXSCREENER_URL: 'http://127.0.0.1:1' },
    overrides: { REDIS_KEY_PREFIX: system.stack.redisKeyPrefix },
    report: () => undefined,
  });
}, 240_000);

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await market?.stop();
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 30_000);

async function subscribe(path: string, events: readonly string[]): Promise<{ id: string; secret: string }> {
  const { response, body } = await system.api('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: `${receiver.url}${path}`, events }),
  });
  expect(response.status).toBe(201);
  return body.data as { id: string; secret: string };
}

async function create(type?: SignalType): Promise<Signal> {
  const { response, body } = await system.ingest('POST', '', newSignal(type));
  expect(response.status).toBe(201);
  return body.data as Signal;
}

/** The webhooks about a signal that reached `path`, oldest first. */
function received(path: string, signalId: string): ReceivedRequest[] {
  return receiver.requests.filter(
    (request) =>
      request.path === path && (JSON.parse(request.body.toString()) as WebhookPayload).data.id === signalId,
  );
}

/** Checks the signature as a subscriber would, and that the payload has only documented members. */
function verified(request: ReceivedRequest, secret: string): WebhookPayload {
  const headers = request.headers as Record<string, string>;
  return webhookPayloadSchema.parse(new Webhook(secret).verify(request.body.toString(), headers));
}

describe('the whole system', () => {
  it('passes a signal from ingest to list, detail, statistics and a signed webhook, and again as a winner', async () => {
    const hook = await subscribe('/both', ['signal.new', 'signal.winner']);
    const counts = async () => {
      const { body } = await system.api('/v1/stats?type=wallet');
      const { total_signals, winners } = body.data as { total_signals: number; winners: number };
      return [total_signals, winners];
    };
    const [total = 0, winning = 0] = await counts();

    const signal = await create('wallet');
    const list = await system.api('/v1/signals?type=wallet&limit=1');
    expect((list.body.data as Signal[])[0]?.id).toBe(signal.id);
    const detail = await system.api(`/v1/signals/${signal.id}`);
    expect(detail.body.data).toEqual(signal);
    await eventually(async () => expect(await counts()).toEqual([total + 1, winning]));
    const first = await eventually(() => {
      const [request] = received('/both', signal.id);
      if (!request) throw new Error('no webhook yet');
      return request;
    });
    expect(verified(first, hook.secret)).toMatchObject({
      event: 'signal.new',
      data: { id: signal.id, type: 'wallet', is_premium: false },
    });

    const patched = await system.ingest('PATCH', `/${signal.id}`, {
      metrics: { mcap_current: 350_000 },
      status: 'winner',
    });
    expect(patched.response.status).toBe(200);
    const winners = await system.api('/v1/signals?status=winner&type=wallet');
    expect((winners.body.data as Signal[]).map(({ id }) => id)).toContain(signal.id);
    const winner = (await system.api(`/v1/signals/${signal.id}`)).body.data as Signal;
    expect(winner).toMatchObject({
      metrics: { mcap_ath: 350_000 },
      performance: { status: 'winner', roi: 250, ath_roi: 250 },
    });
    await eventually(async () => expect(await counts()).toEqual([total + 1, winning + 1]));
    const second = await eventually(() => {
      const [, request] = received('/both', signal.id);
      if (!request) throw new Error('no second webhook yet');
      return request;
    });
    expect(verified(second, hook.secret)).toMatchObject({ event: 'signal.winner', data: { id: signal.id } });
    expect(second.headers['webhook-id']).not.toBe(first.headers['webhook-id']);
  }, 40_000);

  it('sends a delivery that fails twice a third time, with the same bytes and id, and logs all attempts', async () => {
    const hook = await subscribe('/flaky', ['signal.new']);
    receiver.script('/flaky', 500, 'drop', 200);
    const signal = await create('3d');
    const attempts = await eventually(() => {
      const requests = received('/flaky', signal.id);
      expect(requests).toHaveLength(3);
      return requests;
    });
    expect(new Set(attempts.map((request) => request.headers['webhook-id'])).size).toBe(1);
    expect(new Set(attempts.map((request) => request.body.toString())).size).toBe(1);
    expect(attempts.map((request) => request.headers['webhook-attempt'])).toEqual(['1', '2', '3']);
    for (const attempt of attempts) verified(attempt, hook.secret);

    const delivery = await eventually(async () => {
      const { body } = await system.api(`/v1/webhooks/${hook.id}/deliveries`);
      const [found] = body.data as { id: string; status: string; attempt_count: number }[];
      expect(found).toMatchObject({ status: 'delivered', attempt_count: 3 });
      return found;
    });
    const log = await system.api(`/v1/webhooks/${hook.id}/deliveries/${delivery?.id}`);
    expect(log.body.data).toMatchObject({
      attempts: [
        { number: 1, outcome: 'bad_status', http_status: 500 },
        { number: 2, outcome: 'connection', http_status: null },
        { number: 3, outcome: 'succeeded', http_status: 200 },
      ],
    });
  }, 40_000);

  // Runs after the tests above, in which every process has worked.
  it('shows what waits and is parked in the queues of statistics and tracker, and what the tracker has yet to do', async () => {
    const topology = eventTopology(system.stack.namespace);
    for (const name of ['stats', 'tracker'] as const) {
      const { queue, parked } = topology[name];
      await eventually(async () => {
        const shown = await (await fetch(system.metricsUrl(name))).text();
        expect(shown).toMatch(new RegExp(`^sigcast_queue_messages\\{queue="${queue}",.*\\} 0$`, 'm'));
        expect(shown).toMatch(new RegExp(`^sigcast_queue_parked_messages\\{queue="${parked}",.*\\} 0$`, 'm'));
        if (name === 'stats') return;
        expect(shown).toMatch(/^sigcast_tracker_signals_due\{.*\} \d/m);
        expect(shown).toMatch(/^sigcast_tracker_backtest_wait_seconds\{.*\} 0$/m);
      });
    }
  });

  it('shows every metric that alerts, dashboard and documentation name, with the labels that select them', async () => {
    const exposed: ExposedMetrics = new Map();
    for (const url of [...processNames.map(system.metricsUrl), ...market.metricsUrls]) {
      const answer = await fetch(url);
      expect([url, answer.status]).toEqual([url, 200]);
      readExposed(await answer.text(), exposed);
    }
    const used = [...usedMetrics(), ...documentedMetrics()];
    const wrong = used.flatMap(({ name, labels, at }) => {
      if (!exposed.has(name)) return [`${at}: no process shows ${name}`];
      const known = exposed.get(name);
      const unknown = labels.filter((label) => known?.has(label) === false);
      return unknown.map((label) => `${at}: ${name} has no label ${label}`);
    });
    expect(wrong).toEqual([]);
    const documented = documentedMetrics().map(({ name }) => name);
    const ours = [...exposed.keys()].filter((name) => /^sigcast_.*(?<!_(bucket|sum|count))$/.test(name));
    expect(ours.filter((name) => !documented.includes(name))).toEqual([]);
  });
});
