import { eventTopology, type SignalsState } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detailOf, openBroker, openModel, openService, openStack, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

const { stack, resources, close } = openStack();
const identities = testIdentities();
const path = '/internal/v1/state';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
let service: ReturnType<typeof openService>;
let broker: Awaited<ReturnType<typeof openBroker>>;

beforeAll(async () => {
  broker = await openBroker(stack, resources);
  const model = await openModel(stack, resources);
  service = openService({ model, identities, queues: { broker, namespace: stack.namespace } });
});
afterAll(close);

async function state(): Promise<SignalsState> {
  const answer = await service.api.get(path, bearer(identities.system));
  expect(answer.status).toBe(200);
  return (answer.body as { data: SignalsState }).data;
}

describe('the state of the signals service for operators', () => {
  it('the state shows how much waits in outboxes and since when, and what waits in queues and is parked', async () => {
    const { stats, fanout, bulkFanout, tracker } = eventTopology(stack.namespace);
    const waiting = [stats, fanout, bulkFanout, tracker].map(({ queue }) => queue);
    const parked = [stats, fanout, tracker].map((consumer) => consumer.parked);
    // A depth is null where the broker is silent for 0.7 s, as on a busy machine.
    await eventually(async () =>
      expect(await state()).toEqual({
        outbox: { signals: 0, oldest_age_s: {} },
        queues: [
          ...waiting.map((name) => ({ name, kind: 'waiting', messages: 0 })),
          ...parked.map((name) => ({ name, kind: 'parked', messages: 0 })),
        ],
      }),
    );
    // No relay runs: what is written stays in the outbox.
    detailOf(await service.api.post(sampleBody()));
    await broker.withChannel(async (channel) => {
      channel.sendToQueue(stats.queue, Buffer.from('{}'));
      channel.sendToQueue(fanout.parked, Buffer.from('{}'));
    });
    await eventually(async () => {
      const { outbox, queues } = await state();
      expect(outbox.signals).toBe(1);
      expect(outbox.oldest_age_s.live).toBeGreaterThan(0);
      expect(queues).toContainEqual({ name: stats.queue, kind: 'waiting', messages: 1 });
      expect(queues).toContainEqual({ name: fanout.parked, kind: 'parked', messages: 1 });
    });
  });

  it('the state shows the outbox while the broker does not answer, and null for the depths of queues', async () => {
    const alone = openService({ model: service.model, identities });
    const answer = await alone.api.get(path, bearer(identities.system));
    const { outbox, queues } = (answer.body as { data: SignalsState }).data;
    expect(outbox.signals).toBeGreaterThanOrEqual(0);
    expect(queues.map(({ messages }) => messages)).toEqual([null, null, null, null, null, null, null]);
  });

  it('the state is shown to no account, no producer and nobody without a token', async () => {
    const statusWith = async (headers: Record<string, string>) =>
      (await service.api.get(path, headers)).status;
    expect(await statusWith(bearer(identities.account))).toBe(403);
    for (const token of [identities.producer, identities.reader]) {
      expect(await statusWith(bearer(token))).toBe(401);
    }
    expect(await statusWith({})).toBe(401);
  });
});
