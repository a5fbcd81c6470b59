import { describe, expect, it, jest } from '@jest/globals';
import { type Aggregates, keepRefreshing, openAggregates } from '@sigcast/aggregates';
import { periods, SigcastError } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { eventually, type Fate, gatedConnection, Killed } from '@sigcast/testing';
import fc from 'fast-check';
import { factOf } from '../src/domain/fact.ts';
import { type FactDocument, factAggregates, factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { clearFacts, compareFigures, recordedFacts } from './compare-figures.ts';
import { eventOf, type Revision } from './events.ts';
import { useMongo } from './fixture.ts';
import { baseMs, Chance, randomHistory } from './histories.ts';

jest.setTimeout(120_000);

const clock = () => new Date(baseMs);
const versions = ['before', 'this'] as const;
type Version = (typeof versions)[number];

const untold = { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('The distribution') };
const oneSignal: Revision = {
  ...{ signal: 1, type: 'new', status: 'active', createdAtMs: baseMs - 60_000 },
  ...{ rev: 1, roi: 100, athRoi: 50_000, timeToAth: 100 },
};
/** The moment before the refresher clears dirty flags. */
const marking = `before ${factsCollection}.updateMany`;

/** The version before knows neither all-time highs nor distributions. */
describe('statistics of two versions', () => {
  const mongo = useMongo();
  const { distribution: _none, ...without } = { ...factAggregates, fields: ['roi'] };
  const open = (version: Version) =>
    openAggregates(mongo(), version === 'this' ? factAggregates : without, clock);
  const deliver = (version: Version, revisions: readonly Revision[]) => {
    const { record } = mongoFacts(mongo(), open(version));
    const facts = revisions.map((revision) => factOf(eventOf(revision)));
    return Promise.all(facts.map((fact) => record(version === 'this' ? fact : { ...fact, ath: undefined })));
  };
  const refreshAll = async (aggregates: Aggregates) => {
    while (!(await aggregates.refresh()));
  };

  it('statistics equal a recount whichever version records and counts; distributions do, or are unavailable', async () => {
    let told = 0;
    const live = async (seed: number) => {
      await clearFacts(mongo());
      const chance = new Chance(seed);
      const queue = chance.shuffle(randomHistory(chance, 300));
      const processes = { before: open('before'), this: open('this') };
      const check = async () => {
        const found = await recordedFacts(mongo());
        await compareFigures(processes.before, { period: chance.pick(periods) }, found, baseMs, 'as it is');
        if (chance.happens(0.5)) await refreshAll(processes.before);
        const nowMs = chance.pick([baseMs, chance.pick(found).createdAtMs]);
        const query = { period: chance.pick(periods) };
        try {
          await compareFigures(processes.this, query, found, nowMs, 'refreshed');
          told++;
        } catch (error) {
          if (!(error instanceof SigcastError)) throw error;
          expect(error).toMatchObject(untold);
        }
      };

      // The version before alone, up to a checkpoint; then both.
      await deliver('before', queue.splice(0, queue.length / 3));
      await refreshAll(processes.before);
      while (queue.length > 0) {
        const version = chance.pick(versions);
        const act = chance.pick([
          () => deliver(version, queue.splice(0, chance.below(60))),
          () => deliver(version, queue.splice(0, chance.below(60))),
          () => processes[version].refresh(),
          () => Promise.all(versions.map((each) => processes[each].refresh())),
          async () => expect([version, await processes[version].audit()]).toEqual([version, true]),
          () => processes.this.countUnknown(),
          () => Object.assign(processes, { [version]: open(version) }),
          check,
        ]);
        await act();
      }

      // This version alone.
      await refreshAll(processes.this);
      const found = await recordedFacts(mongo());
      expect(found.some(({ athRoi }) => athRoi === undefined)).toBe(true);
      for (const each of [processes.this, open('this')]) {
        while ((await each.countUnknown()) !== 'done');
        for (const period of periods) await compareFigures(each, { period }, found, baseMs, 'refreshed');
      }
    };
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: 3, endOnFailure: true });
    expect(told).toBeGreaterThan(0);
  });

  it('a high that the version before did not record never counts as 0', async () => {
    await clearFacts(mongo());
    let atMarking = async (): Promise<Fate> => 'go on';
    const connection = gatedConnection(mongo(), async (moment, operation) =>
      `${moment} ${operation}` === marking ? atMarking() : 'go on',
    );
    const before = openAggregates(connection, without, clock);
    const started = openAggregates(connection, factAggregates, clock);
    const other: Revision = { ...oneSignal, signal: 2, createdAtMs: baseMs - 5 * 3_600_000 };
    const second = { ...oneSignal, rev: 2 };
    await deliver('before', [other]);
    await before.build();
    await refreshAll(before);

    await deliver('this', [oneSignal]);
    atMarking = async () => 'die';
    await expect(before.refresh()).rejects.toThrow(Killed);
    atMarking = async () => {
      await deliver('this', [second]);
      return 'go on';
    };
    await started.refresh();
    const moved = { rev: 2.0625, 'dirty.before.rev': 1.0625 };
    expect(await mongo().collection(factsCollection).countDocuments(moved)).toBe(1);

    // Known distributions are counted once; unknown ones are tried again.
    for (const came of ['counted', 'done', 'nothing new', 'done', 'nothing new'])
      expect(await started.countUnknown()).toBe(came);
    await expect(started.readDistributions(() => ({}))).rejects.toMatchObject(untold);
    const { athRoi: _athRoi, timeToAth: _timeToAth, ...counted } = other;
    await compareFigures(started, { period: 'all' }, [counted, second], baseMs, 'refreshed');
  });

  it('a distribution that is not counted yet reads up to 12,500 documents, and is refused beyond', async () => {
    await clearFacts(mongo());
    const { roi, type, status } = oneSignal;
    const created_at = new Date(baseMs - 60_000);
    const facts = Array.from({ length: 12_500 }, (_, n): FactDocument => {
      return { _id: `sig_${n}`, type, status, roi, created_at, rev: 1 };
    });
    await mongo().collection<FactDocument>(factsCollection).insertMany(facts);
    const before = open('before');
    await before.build();
    await refreshAll(before);
    const started = open('this');
    await started.refresh();
    const { distributions } = await started.readDistributions(() => ({}));
    expect([...(distributions.get(type)?.values() ?? [])]).toEqual([12_500, 12_500]);

    await deliver('before', [oneSignal]);
    await refreshAll(before);
    await started.refresh();
    await expect(started.readDistributions(() => ({}))).rejects.toMatchObject(untold);
  });

  it('statistics are served at once where the version before has counted, and distributions once this one has', async () => {
    await clearFacts(mongo());
    // So many that the check every 10 s would take half a minute.
    const facts = Array.from({ length: 6_000 }, (_, n): FactDocument => {
      const created_at = new Date(baseMs - (n % 200) * 3_600_000);
      return { _id: `sig_${n}`, type: 'new', status: 'active', roi: n * 10, created_at, rev: 1 };
    });
    await mongo().collection<FactDocument>(factsCollection).insertMany(facts);
    const before = open('before');
    await before.build();
    await refreshAll(before);

    const found = await recordedFacts(mongo());
    const started = open('this');
    await compareFigures(started, { period: 'all' }, found, baseMs, 'as it is');
    await expect(started.readDistributions(() => ({}))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await using resources = new AsyncDisposableStack();
    keepRefreshing(started, silentLogger(), resources);
    await eventually(() => compareFigures(started, { period: 'all' }, found, baseMs, 'refreshed'));
    const [entry] = await mongo().collection('aggregate_log').find().sort({ _id: -1 }).limit(1).toArray();
    expect(entry).toMatchObject({ changes: [], replaced: [{}] });
  });
});
