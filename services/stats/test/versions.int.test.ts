import { type AggregateSource, type Aggregates, keepRefreshing, openAggregates } from '@sigcast/aggregates';
import { periods, SigcastError, type StatsQuery } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import { eventually, type Fate, gatedConnection, Killed, modelRuns } from '@sigcast/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { factOf, type SignalFact } from '../src/domain/fact.ts';
import { type FactDocument, factAggregates, factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { compareFigures, recordedFacts } from './compare-figures.ts';
import { compareSeries } from './compare-series.ts';
import { eventOf, type Revision } from './events.ts';
import { clearFacts, useMongo } from './fixture.ts';
import { baseMs, Chance, randomHistory } from './histories.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const clock = () => new Date(baseMs);
const versions = ['oldest', 'before', 'this'] as const;
type Version = (typeof versions)[number];
type Included = NonNullable<StatsQuery['include']>[number];

const { distributions: _all, ...plain } = factAggregates;
const { distribution } = factAggregates.distributions ?? {};
/** What each version counts. The oldest one knows no all-time highs and no distributions; the one before, no positions. */
const sources: Readonly<Record<Version, AggregateSource>> = {
  oldest: { ...plain, fields: ['roi'] },
  before: {
    ...plain,
    fields: ['roi', 'ath_roi', 'time_to_ath'],
    distributions: { ...(distribution && { distribution }) },
  },
  this: factAggregates,
};
/** The distributions that newer versions know. */
const tells: Readonly<Record<Exclude<Version, 'oldest'>, readonly Included[]>> = {
  before: ['distribution'],
  this: ['distribution', 'realizable'],
};
/** What each version records of a fact. */
const asRecorded: Readonly<Record<Version, (fact: SignalFact) => SignalFact>> = {
  oldest: (fact) => ({ ...fact, ath: undefined, realizable: undefined }),
  before: (fact) => ({ ...fact, realizable: undefined }),
  this: (fact) => fact,
};

/** The answer while too much of it is not counted. */
const untold = (title: string) => ({ code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining(title) });
const titles: Readonly<Record<Included, string>> = {
  distribution: 'The distribution',
  realizable: 'Realizable ROI',
};
const oneSignal: Revision = {
  ...{ signal: 1, type: 'new', status: 'active', createdAtMs: baseMs - 60_000 },
  ...{ rev: 1, roi: 100, athRoi: 50_000, timeToAth: 100, realizable: { roi: -2_500, exit: 'open' } },
};
/** The moment before the refresher clears dirty flags. */
const marking = `before ${factsCollection}.bulkWrite`;

describe('statistics of several versions', () => {
  const mongo = useMongo();
  const open = (version: Version, on = mongo()) => openAggregates(on, sources[version], clock);
  const deliver = async (version: Version, revisions: readonly Revision[], on = mongo()) => {
    const { record } = mongoFacts(on, open(version, on));
    const facts = revisions.map((each) => asRecorded[version](factOf(eventOf(each))));
    const results = await Promise.allSettled(facts.map(record));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
  const refreshAll = async (aggregates: Aggregates) => {
    while (!(await aggregates.refresh()));
  };
  const read = (aggregates: Aggregates, name: Included) =>
    aggregates.read(() => ({}), { distributions: [name] });
  /** Facts as a version stored them: so many, in so many hours. */
  const insertFacts = async (count: number, hours: number, fields: Partial<FactDocument>) => {
    const { type, status, roi } = oneSignal;
    const facts = Array.from({ length: count }, (_, n): FactDocument => {
      const created_at = new Date(baseMs - 60_000 - (n % hours) * 3_600_000);
      return { _id: `sig_${n}`, type, status, roi, created_at, rev: 1, ...fields };
    });
    await mongo().collection<FactDocument>(factsCollection).insertMany(facts);
  };

  it('statistics equal a recount whichever version records, counts and is killed; distributions equal it too, or are a 503', async () => {
    const told = { before: { distribution: 0, realizable: 0 }, this: { distribution: 0, realizable: 0 } };
    const live = async (seed: number) => {
      await clearFacts(mongo());
      const chance = new Chance(seed);
      const history = randomHistory(chance, 300);
      const queue = chance.shuffle([...history, ...history.filter(() => chance.happens(0.2))]);
      const processes = { oldest: open('oldest'), before: open('before'), this: open('this') };
      /** The oldest version takes part only at first: while it does, distributions of the newer versions are often unknown. */
      let present: readonly Version[] = versions;
      const check = async () => {
        const found = await recordedFacts(mongo());
        await compareFigures(processes[chance.pick(present)], found, {
          ...{ period: chance.pick(periods), how: 'as it is' },
        });
        if (chance.happens(0.5)) await refreshAll(processes[chance.pick(present)]);
        const nowMs = chance.pick([baseMs, chance.pick(found).createdAtMs]);
        for (const version of ['before', 'this'] as const) {
          for (const name of tells[version]) {
            const period = chance.pick(periods);
            try {
              await compareFigures(processes[version], found, { period, nowMs, include: [name] });
              if (name === 'realizable')
                await compareSeries(processes[version], found, { period, nowMs, include: [name] });
              told[version][name]++;
            } catch (error) {
              if (!(error instanceof SigcastError)) throw error;
              expect(error).toMatchObject(untold(titles[name]));
            }
          }
        }
      };

      /** A process that is killed while it records, or counts, what another one then gets again. */
      const kill = async (version: Version) => {
        let left = chance.below(10);
        const frail = gatedConnection(mongo(), async () => {
          left--;
          if (left >= 0) return 'go on';
          return left === -1 ? chance.pick(['die', 'die halfway']) : 'die';
        });
        const batch = queue.slice(0, chance.below(60));
        for (const act of [() => deliver(version, batch, frail), () => open(version, frail).refresh()]) {
          try {
            await act();
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
          }
        }
      };

      // Each version alone for a while, from the oldest to this one; then all of them, and at last the newer two.
      for (const version of versions) {
        await deliver(version, queue.splice(0, queue.length / 5));
        await refreshAll(processes[version]);
      }
      const mixed = queue.length;
      while (queue.length > 0) {
        if (queue.length < mixed / 2) present = ['before', 'this'];
        const version = chance.pick(present);
        const act = chance.pick([
          () => deliver(version, queue.splice(0, chance.below(60))),
          () => deliver(version, queue.splice(0, chance.below(60))),
          () => processes[version].refresh(),
          () => Promise.all(present.map((each) => processes[each].refresh())),
          async () => expect([version, await processes[version].audit()]).toEqual([version, true]),
          () => processes.this.countUnknown(),
          () => processes.before.countUnknown(),
          () => Object.assign(processes, { [version]: open(version) }),
          () => kill(version),
          check,
        ]);
        await act();
      }

      // This version alone.
      await refreshAll(processes.this);
      const found = await recordedFacts(mongo());
      expect(found.some(({ athRoi }) => athRoi === undefined)).toBe(true);
      expect(found.some(({ realizable }) => realizable !== undefined)).toBe(true);
      for (const each of [processes.this, open('this')]) {
        while ((await each.countUnknown()) !== 'done');
        for (const period of periods) await compareFigures(each, found, { period });
      }
      // And after a rollback.
      const back = open('before');
      while ((await back.countUnknown()) !== 'done');
      for (const period of periods) {
        await compareFigures(back, found, { period, include: ['distribution'] });
      }
    };
    await fc.assert(fc.asyncProperty(fc.integer(), live), { ...modelRuns(12), endOnFailure: true });
    expect(Math.min(told.before.distribution, told.this.distribution, told.this.realizable)).toBeGreaterThan(
      0,
    );
  });

  it.each([
    ['a high', 'the oldest version', 'oldest', 'distribution', 'athRoi'],
    ['a position', 'the version before', 'before', 'realizable', 'realizable'],
  ] as const)('%s that %s did not record never counts as 0', async (_what, _who, version, name, field) => {
    await clearFacts(mongo());
    let atMarking = async (): Promise<Fate> => 'go on';
    const connection = gatedConnection(mongo(), async (moment, operation) =>
      `${moment} ${operation}` === marking ? atMarking() : 'go on',
    );
    const [older, started] = [open(version, connection), open('this', connection)];
    const other: Revision = { ...oneSignal, signal: 2, createdAtMs: baseMs - 5 * 3_600_000 };
    const second = { ...oneSignal, rev: 2 };
    await deliver(version, [other]);
    await older.build();
    await refreshAll(older);

    await deliver('this', [oneSignal]);
    atMarking = async () => 'die';
    await expect(older.refresh()).rejects.toThrow(Killed);
    atMarking = async () => {
      await deliver('this', [second]);
      return 'go on';
    };
    await started.refresh();
    const moved = { rev: 2.125, 'dirty.before.rev': 1.125 };
    expect(await mongo().collection(factsCollection).countDocuments(moved)).toBe(1);

    // A distribution that becomes known is counted once. One that stays unknown is tried again and again.
    for (const came of ['counted', 'done', 'nothing new', 'done', 'nothing new'])
      expect(await started.countUnknown()).toBe(came);
    await expect(read(started, name)).rejects.toMatchObject(untold(titles[name]));
    const recorded = await recordedFacts(mongo());
    expect(recorded.find(({ signal }) => signal === 2)?.[field]).toBeUndefined();
    await compareFigures(started, recorded, { period: 'all' });
    expect(recorded.find(({ signal }) => signal === 1)).toMatchObject({ rev: second.rev });
  });

  it('a distribution that is not counted yet reads up to 12,500 documents, and is refused beyond', async () => {
    await clearFacts(mongo());
    await insertFacts(12_500, 1, {});
    const oldest = open('oldest');
    await oldest.build();
    await refreshAll(oldest);
    const started = open('this');
    await started.refresh();
    const { distributions } = await read(started, 'distribution');
    expect([...(distributions.get('distribution')?.get(oneSignal.type)?.values() ?? [])]).toEqual([
      12_500, 12_500,
    ]);

    await deliver('oldest', [oneSignal]);
    await refreshAll(oldest);
    await started.refresh();
    await expect(read(started, 'distribution')).rejects.toMatchObject(untold(titles.distribution));
  });

  it('what the version before knows stays available in both versions, and realizable comes once this one has counted', async () => {
    await clearFacts(mongo());
    // So many that the audit, 2,000 documents every 10 s, would take half a minute.
    await insertFacts(6_000, 200, { ath_roi: 2_000, time_to_ath: 50, rev: 1 + 1 / 16 });
    const before = open('before');
    await before.build();
    await refreshAll(before);

    const found = await recordedFacts(mongo());
    const started = open('this');
    await compareFigures(started, found, { period: 'all', how: 'as it is' });
    await compareFigures(started, found, { period: 'all', include: ['distribution'] });
    await expect(read(started, 'realizable')).rejects.toMatchObject(untold(titles.realizable));
    await expect(
      started.read(() => ({}), {
        series: { intervalMs: 86_400_000, sums: { name: 'realizable', belowKey: 16 } },
      }),
    ).rejects.toMatchObject(untold(titles.realizable));

    await using resources = new AsyncDisposableStack();
    keepRefreshing(started, silentLogger(), resources);
    await eventually(async () => {
      await compareFigures(before, found, { period: 'all', include: ['distribution'] });
      await compareFigures(started, found, { period: 'all' });
    });
    const [entry] = await mongo().collection('aggregate_log').find().sort({ _id: -1 }).limit(1).toArray();
    expect(entry).toMatchObject({ changes: [], replaced: [{}] });
    // The older one has nothing to count anew.
    await before.refresh();
    expect(await before.countUnknown()).toBe('done');
  });

  it('after a rollback and another update, a position is not counted until its signal changes again', async () => {
    await clearFacts(mongo());
    const [before, started] = [open('before'), open('this')];
    const changed = { ...oneSignal, rev: 2, roi: 500 };
    await deliver('this', [oneSignal]);
    await refreshAll(started);
    await deliver('before', [changed]);
    await refreshAll(before);
    await started.refresh();
    while ((await started.countUnknown()) !== 'done');
    const { realizable: _dropped, ...withoutPosition } = changed;
    for (const each of [started, open('this')]) {
      await compareFigures(each, [withoutPosition], { period: 'all' });
    }
    const last: Revision = { ...changed, rev: 3, realizable: { roi: 9_505, exit: 'target' } };
    await deliver('this', [last]);
    for (const each of [started, open('this')]) {
      await compareFigures(each, [last], { period: 'all' });
    }
  });
});
