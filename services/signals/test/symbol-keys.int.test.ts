import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openAggregates } from '@sigcast/aggregates';
import { createLogger, silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import {
  indexNames,
  type SignalDocument,
  type SignalModel,
  signalAggregates,
  symbolKey,
} from '../src/store/signal-document.ts';
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
    const store = mongoSignalStore(model, openAggregates(model.db, signalAggregates), symbols);
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

  it('are looked for as long as a process lives, more seldom once an upgrade is over', async () => {
    await using filling = new AsyncDisposableStack();
    const looks = { betweenBatchesMs: 1, everyMs: 3_600_000, youngMs: 0, laterEveryMs: 20 };
    const keys = startSymbolKeys(model, { log: silentLogger(), resources: filling }, looks);
    await eventually(() => expect(keys.areComplete).toBe(true));
    const late = await older('LATE');
    await eventually(async () => expect(await model.findById(late).lean()).toHaveProperty('symbol_key'));
  });

  it('are warned of once while their index is not there, and get their key when it is', async () => {
    const bare = model.db.model<SignalDocument>('BareSignal', model.schema.clone(), 'bare_signals');
    await bare.collection.insertOne({ _id: 'sig_old', token: { symbol: 'old' } } as never);
    const lines: string[] = [];
    const log = createLogger({
      service: 'signals',
      level: 'warn',
      destination: { write: (line) => lines.push(line) },
    });
    await using filling = new AsyncDisposableStack();
    const looks = { betweenBatchesMs: 1, youngMs: 0, laterEveryMs: 20, everyMs: 20 };
    const find = jest.spyOn(bare, 'find');
    const keys = startSymbolKeys(bare, { log, resources: filling }, looks);
    await eventually(() => expect(find.mock.calls.length).toBeGreaterThan(3));
    find.mockRestore();
    expect(keys.areComplete).toBe(false);
    expect(lines).toHaveLength(1);
    await bare.collection.createIndex({ symbol_key: 1 }, { name: indexNames.symbol });
    await eventually(() => expect(keys.areComplete).toBe(true));
    expect(await bare.findById('sig_old').lean()).toHaveProperty('symbol_key', 'OLD');
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

describe('the key of a symbol', () => {
  it.each([
    ['wif', 'WIF'],
    ['écu', 'E\u0301CU'],
    ['σ', 'Σ'],
    ['ж', 'Ж'],
    ['𐐨', '𐐀'],
  ])('is the same for %s and %s', (one, other) => {
    expect(symbolKey(one)).toBe(symbolKey(other));
  });

  it.each([
    ['ß', 'SS'],
    ['ß', 'ẞ'],
    ['ﬁ', 'FI'],
    ['ı', 'I'],
    ['İ', 'i'],
    ['ſ', 'S'],
    ['LıNK', 'LINK'],
    ['USDſ', 'USDS'],
  ])('is another for %s than for %s, which only looks like it', (one, other) => {
    expect(symbolKey(one)).not.toBe(symbolKey(other));
  });
});
