import { openAggregates } from '@sigcast/aggregates';
import { symbolKey } from '@sigcast/contracts';
import { runMigrations } from '@sigcast/mongo';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signalsMigrations } from '../src/store/migrations.ts';
import { type SignalModel, signalAggregates } from '../src/store/signal-document.ts';
import { mongoSignalStore } from '../src/store/signal-store.ts';
import { detailOf, openModel, openService, openStack, type Service, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

describe('signals of an older version', () => {
  const { stack, resources, close } = openStack();
  let model: SignalModel;
  let service: Service;
  beforeAll(async () => {
    model = await openModel(stack, resources);
    service = openService({ model, identities: testIdentities() });
  });
  afterAll(close);

  const older = async (symbol: string) => {
    const { id } = detailOf(await service.api.post(sampleBody({ symbol })));
    await model.updateOne(
      { _id: id },
      {
        $unset: { symbol_key: '' },
        $set: { 'token.socials': { twitter: null, telegram: null, website: 'https://x.example' } },
      },
    );
    return id;
  };
  const migrate = (options: { leftovers?: true } = {}) =>
    runMigrations(model.db, signalsMigrations, { version: '7.0.0', ...options });

  it('a signal of an older version shows an empty string for an unknown link, where that version stored null', async () => {
    const id = await older('links');
    expect(detailOf(await service.api.get(`/v1/signals/${id}`)).token.socials).toEqual({
      twitter: '',
      telegram: '',
      website: 'https://x.example',
    });
  });

  it('the migration makes signals of older versions found by their symbol, and their unknown links empty strings', async () => {
    const ids = await Promise.all(['OLD', 'old', 'new'].map(older));
    const store = mongoSignalStore(model, openAggregates(model.db, signalAggregates));
    const page = () => store.page({ filter: { symbol: 'Old' }, skip: 0, limit: 10 });
    await expect(page()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(store.count({ symbol: 'Old' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect((await store.page({ filter: {}, skip: 0, limit: 10 })).length).toBeGreaterThan(2);
    const before = await model.find({ _id: ids }).sort({ _id: 1 }).lean();

    const [links, keys] = await migrate();
    expect(links).toMatchObject({ _id: 'empty-links', changed: await model.countDocuments() });
    expect(keys).toMatchObject({ _id: 'symbol-keys', version: '7.0.0', done_at: expect.any(Date) });
    expect((await page()).map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort());
    expect(await store.count({ symbol: 'Old' })).toBe(2);
    const socials = { twitter: '', telegram: '', website: 'https://x.example' };
    expect(await model.find({ _id: ids }).sort({ _id: 1 }).lean()).toEqual(
      before.map((one) => ({
        ...one,
        token: { ...one.token, socials },
        symbol_key: symbolKey(one.token.symbol),
      })),
    );

    // A service migrates only once. The operator's command also finds signals that came later.
    const late = await older('late');
    await migrate();
    expect(await model.findById(late).lean()).not.toHaveProperty('symbol_key');
    await migrate({ leftovers: true });
    expect(await model.findById(late).lean()).toHaveProperty('symbol_key', 'LATE');
  });
});
