import type { Broker, OutgoingMessage } from '@sigcast/messaging';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { mongoOutbox } from '../src/store/mongo-outbox.ts';
import type { SignalModel } from '../src/store/signal-document.ts';
import {
  detailOf,
  openArchive,
  openBroker,
  openModel,
  openRelay,
  openService,
  openStack,
  testIdentities,
  untilOutboxesAreEmpty,
} from './fixture.ts';
import { sampleBody } from './samples.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('bulk events', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let broker: Broker;
  let model: SignalModel;
  let running: AsyncDisposableStack;
  beforeAll(async () => {
    broker = await openBroker(stack, resources);
    model = await openModel(stack, resources);
  });
  beforeEach(() => {
    running = new AsyncDisposableStack();
  });
  afterEach(async () => {
    await running.disposeAsync();
    await model.deleteMany({});
  });
  afterAll(close);

  const lines = (count: number) =>
    Array.from({ length: count }, () => JSON.stringify(sampleBody())).join('\n');
  const isBulk = ({ routingKey }: OutgoingMessage) => routingKey.startsWith('bulk.');
  const nothingWaits = () => untilOutboxesAreEmpty(model);

  /** Publishes and records confirmed events in order. Bulk events wait until `letBulk` is called. */
  const holdingBulk = () => {
    const { promise: held, resolve: letBulk } = Promise.withResolvers<void>();
    running.defer(() => letBulk());
    const begun: OutgoingMessage[] = [];
    const published: OutgoingMessage[] = [];
    const publish = async (message: OutgoingMessage) => {
      begun.push(message);
      if (isBulk(message)) await held;
      await broker.publish(message);
      published.push(message);
    };
    return { begun, published, publish, letBulk };
  };

  it('a live event is published at once while the events of 2,000 imported signals wait for the broker', async () => {
    const { begun, published, publish, letBulk } = holdingBulk();
    const relay = openRelay(stack, running, { model, broker: { publish } });
    const { api } = openService({ model, identities, relay });
    await api.import(lines(2_000));
    const { id } = detailOf(await api.post(sampleBody()));
    await eventually(() => expect(published).toHaveLength(1));
    expect(published[0]?.body.toString()).toContain(id);
    // At most one batch is published at once.
    expect(begun.filter(isBulk).length).toBeLessThanOrEqual(100);
    letBulk();
    await nothingWaits();
    expect(published.filter(isBulk)).toHaveLength(2_000);
    expect(new Set(published.map(({ messageId }) => messageId)).size).toBe(2_001);
  });

  it('events keep their priority, bulk or live, when another replica publishes what a dead one left', async () => {
    const { api } = openService({ model, identities });
    await api.import(lines(3));
    await api.post(sampleBody());
    const { published, publish, letBulk } = holdingBulk();
    letBulk();
    openRelay(stack, running, { model, broker: { publish } });
    await nothingWaits();
    expect(published.map(({ routingKey }) => routingKey).sort()).toEqual([
      ...['bulk.signal.new', 'bulk.signal.new', 'bulk.signal.new'],
      'signal.new',
    ]);
  });

  it('a change of an imported signal does not overtake the import’s event: it is bulk, too, for a day', async () => {
    const { published, publish, letBulk } = holdingBulk();
    letBulk();
    const relay = openRelay(stack, running, { model, broker: { publish } });
    const { api } = openService({ model, identities, relay });
    await api.import(lines(1));
    const { _id: id } = (await model.findOne().lean()) ?? { _id: '' };
    await api.patch(id, { status: 'winner' });
    await nothingWaits();
    await model.updateOne({ _id: id }, { imported_at: new Date(Date.now() - 25 * 3_600_000) });
    await api.patch(id, { status: 'rugged' });
    await nothingWaits();
    expect(published.map(({ routingKey }) => routingKey)).toEqual([
      ...['bulk.signal.new', 'bulk.signal.winner'],
      'signal.rugged',
    ]);
  });

  it('bulk events that wait together with a live event of the same signal are published with it, in order', async () => {
    const { api } = openService({ model, identities });
    await api.import(lines(1));
    const { _id: id } = (await model.findOne().lean()) ?? { _id: '' };
    await model.updateOne({ _id: id }, { imported_at: new Date(Date.now() - 25 * 3_600_000) });
    await api.patch(id, { status: 'winner' });
    const [later, until] = [new Date(Date.now() + 60_000), new Date(Date.now() + 120_000)];
    expect((await mongoOutbox(model).claim(later, until)).signals[0]).toMatchObject({
      events: [{ rev: 1 }, { rev: 2 }],
      priority: 'live',
    });
  });

  it('the archive keeps bulk events like all others', async () => {
    const relay = openRelay(stack, running, { model, broker });
    await openService({ model, identities, relay }).api.import(lines(2));
    await nothingWaits();
    const [{ _id: id } = { _id: '' }] = await model.find().lean();
    const kept: string[] = [];
    for await (const batch of openArchive(model).all()) kept.push(...batch.map(({ data }) => data.id));
    expect(kept).toContain(id);
  });

  it('an import writes six lines at a time, with pauses, while others write one by one', async () => {
    const turn = Promise.withResolvers<void>();
    const waits: number[] = [];
    const waitBesideLive = async (ms: number) => {
      waits.push(ms);
      if (waits.length > 1) await turn.promise;
    };
    const { api } = openService({ model, identities, waitBesideLive });
    const importing = api.import(lines(50)).then((answer) => answer);
    await eventually(() => expect(waits).toHaveLength(2));
    expect(await model.countDocuments()).toBe(6);
    expect(waits[1]).toBeGreaterThan(0);
    turn.resolve();
    expect((await importing).body).toMatchObject({ data: { created: 50 } });
  });
});
