import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openRollups } from '@sigcast/rollups';
import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { type SignalModel, signalRollups } from '../src/store/signal-document.ts';
import { mongoSignalStore } from '../src/store/signal-store.ts';
import { startSymbolKeys } from '../src/store/symbol-keys.ts';
import { detailOf, openModel, openService, openStack, type Service, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

describe('signals that an older version wrote', () => {
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

  it('are found by their symbol once they have got its key; until then nothing is said of symbols', async () => {
    const ids = await Promise.all(['OLD', 'old', 'new'].map(older));
    const symbols = { areComplete: false };
    const store = mongoSignalStore(model, openRollups(model.db, signalRollups), symbols);
    const page = () => store.page({ filter: { symbol: 'Old' }, skip: 0, limit: 10 });
    await expect(page()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(store.count({ symbol: 'Old' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await store.page({ filter: {}, skip: 0, limit: 10 })).toHaveLength(3);

    await using filling = new AsyncDisposableStack();
    const keys = startSymbolKeys(model, { log: silentLogger(), resources: filling });
    await eventually(() => expect(keys.areComplete).toBe(true));
    symbols.areComplete = true;
    expect((await page()).map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort());
    expect(await store.count({ symbol: 'Old' })).toBe(2);

    // A process of that version still writes.
    const late = await older('oLd');
    await eventually(async () => expect((await page()).map(({ id }) => id)).toContain(late));
  });

  it('say an empty string for a link that is not known, where that version said null', async () => {
    const id = await older('links');
    expect(detailOf(await service.api.get(`/v1/signals/${id}`)).token.socials).toEqual({
      twitter: '',
      telegram: '',
      website: 'https://x.example',
    });
  });
});
