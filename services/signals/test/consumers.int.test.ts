import { eventTopology, identityHeader, signalEventTypes } from '@sigcast/contracts';
import { serve } from '@sigcast/http';
import { silentLogger } from '@sigcast/runtime';
import { eventReaders, eventually, expectationsOf, type Given, unmet } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  detailOf,
  openBroker,
  openModel,
  openRelay,
  openService,
  openStack,
  testIdentities,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

describe('the signals service', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let baseUrl: string;
  let given: Given;
  beforeAll(async () => {
    const service = openService({ model: await openModel(stack, resources), identities });
    baseUrl = await serve(service.app, { host: '127.0.0.1', port: 0 }, silentLogger(), resources);
    const [{ id }, ending] = [
      detailOf(await service.api.post(sampleBody())),
      detailOf(await service.api.post(sampleBody())),
    ];
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    given = {
      credentials: {
        account: { [identityHeader]: identities.account },
        producer: bearer(identities.producer),
        tracker: bearer(identities.tracker),
        reader: bearer(identities.reader),
        operator: bearer(identities.system),
        powerless: bearer(identities.powerless),
      },
      values: { signal_id: id, ending_signal_id: ending.id },
    };
  });
  afterAll(close);

  it('signals sends events of each type that are readable by what each consumer has recorded', async () => {
    const broker = await openBroker(stack, resources);
    const sent = new Map<string, string>();
    const { queue, parked } = eventTopology(stack.namespace).stats;
    await broker.consume({
      ...{ queue, parked, prefetch: 1 },
      handle: async ({ routingKey, body }) => void sent.set(routingKey, body.toString()),
    });
    const model = await openModel(stack, resources);
    const { api } = openService({ model, identities, relay: openRelay(stack, resources, { model, broker }) });
    for (const change of [
      { metrics: { holders: 7 } },
      ...['winner', 'dead', 'rugged'].map((status) => ({ status })),
    ]) {
      const { id } = detailOf(await api.post(sampleBody()));
      expect((await api.patch(id, change)).status).toBe(200);
    }
    await eventually(() => expect([...sent.keys()].sort()).toEqual([...signalEventTypes].sort()));
    const readers = eventReaders('signal.*');
    expect(readers.map(({ consumer }) => consumer)).toEqual(['signals', 'stats', 'tracker', 'webhooks']);
    for (const body of sent.values())
      for (const { consumer, unreadable } of readers)
        expect([consumer, ...unreadable(body)]).toEqual([consumer]);
  });

  it.each(expectationsOf('signals'))(
    'signals answers $asks as $consumer expects, asked as $as',
    async (expectation) => {
      expect(await unmet(baseUrl, expectation, given)).toEqual([]);
    },
  );
});
