import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openAggregates } from '@sigcast/aggregates';
import { type StatsQuery, signalTypes, unavailable } from '@sigcast/contracts';
import { type TestStack, testStack } from '@sigcast/testing';
import type { Connection } from 'mongoose';
import { factOf, type SignalFact } from '../src/domain/fact.ts';
import type { FactLedger, SignalSource } from '../src/domain/fact-ledger.ts';
import { getStatisticsWith } from '../src/domain/included.ts';
import type { DistributionStore, FactStore, StatisticsStore } from '../src/domain/ports.ts';
import { rebuild } from '../src/domain/rebuild.ts';
import { verify } from '../src/domain/verify.ts';
import type { StatsContext } from '../src/operator/command.ts';
import { runOperator } from '../src/operator/run.ts';
import { signalsApi } from '../src/operator/signals-api.ts';
import { verifyCommand } from '../src/operator/verify-command.ts';
import { factAggregates, factsCollection } from '../src/store/fact-document.ts';
import { mongoFacts } from '../src/store/mongo-facts.ts';
import { mongoLedger } from '../src/store/mongo-ledger.ts';
import { aggregateStatistics } from '../src/store/mongo-statistics.ts';
import { eventOf, type Revision } from './events.ts';
import { openMongo } from './fixture.ts';
import { readerToken, startSignalsService } from './signals-service.ts';

jest.setTimeout(60_000);

const hourMs = 3_600_000;
const nowMs = Date.now();
const revision = (signal: number, changes: Partial<Revision> = {}): Revision => ({
  signal,
  type: signalTypes[signal % signalTypes.length] ?? 'new',
  status: signal % 3 === 0 ? 'winner' : 'active',
  roi: signal * 17,
  createdAtMs: nowMs - (signal % 1_000) * hourMs,
  rev: 1 + (signal % 4),
  ...changes,
});
const factFrom = (made: Revision): SignalFact => factOf(eventOf(made));
const idOf = (signal: number) => factFrom(revision(signal)).id;

describe('operator commands', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  let service: Awaited<ReturnType<typeof startSignalsService>>;
  let deps: {
    facts: FactStore;
    ledger: FactLedger;
    store: StatisticsStore & DistributionStore;
    source: SignalSource;
    recount: () => Promise<void>;
    advance: () => void;
  };
  const freshStatistics = () =>
    aggregateStatistics(openAggregates(connection, factAggregates), { fresh: true });
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    connection = await openMongo(stack, resources, stack.database('stats'));
    service = await startSignalsService(resources);
    deps = {
      facts: mongoFacts(connection, openAggregates(connection, factAggregates)),
      ledger: mongoLedger(connection),
      store: freshStatistics(),
      source: signalsApi({ url: service.url, token: readerToken }),
      recount: () => openAggregates(connection, factAggregates).rebuild(),
      advance: () => undefined,
    };
  });
  beforeEach(async () => {
    for (const name of [factsCollection, 'aggregate_cells', 'aggregate_log']) {
      await connection.collection(name).deleteMany({});
    }
    deps.store = freshStatistics();
    service.signals.length = 0;
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const out: string[] = [];
    const err: string[] = [];
    const settings = {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: connection.name,
      SIGNALS_URL: service.url,
      SIGNALS_TOKEN: readerToken,
      ...env,
    };
    const status = await runOperator(args, settings, {
      out: (line) => out.push(line),
      err: (line) => err.push(line),
      progress: { write: () => undefined },
    });
    return { status, out: out.join('\n'), err: err.join('\n') };
  };
  const signals = (...list: readonly Revision[]) => void service.signals.push(...list);
  const record = async (...list: readonly Revision[]) => {
    for (const made of list) await deps.facts.record(factFrom(made));
  };
  const factAt = (signal: number) => deps.ledger.find(idOf(signal));

  it('`rebuild` makes all facts from the signals, page by page, and `verify` finds them equal', async () => {
    signals(...Array.from({ length: 1_200 }, (_, n) => revision(n)));
    expect(await run(['rebuild'])).toMatchObject({
      status: 0,
      out: '1200 signals: 1200 facts recorded, 0 removed',
    });
    expect(await factAt(1_199)).toEqual(factFrom(revision(1_199)));
    const again = await run(['rebuild', '--json']);
    expect(JSON.parse(again.out)).toEqual({ signals: 1_200, recorded: 0, removed: 0 });
    await deps.ledger.remove(factFrom(revision(1_100)));
    expect(await run(['verify'])).toMatchObject({
      status: 1,
      out: expect.stringMatching(new RegExp(`missing ${idOf(1_100)}: signal rev 1 .*, no fact\\n`)),
    });
    await record(revision(1_100));
    const { status, out } = await run(['verify', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      { signals: 1_200, complete: true, facts: [], figures: [], moving: [], positions_compared: true },
    ]);
  });

  it('`verify` prints every missing, stale, wrong and extra fact and every different figure, and `rebuild` corrects them', async () => {
    const good = [revision(1), revision(2)];
    const type = 'wallet' as const;
    const createdAtMs = nowMs - 2 * hourMs;
    const stale = revision(3, { type, createdAtMs, rev: 3, status: 'winner', roi: 500 });
    const wrong = revision(4, { type, createdAtMs, rev: 2, status: 'rugged' });
    const ahead = revision(5, { rev: 2 });
    signals(...good, stale, wrong, ahead, revision(6));
    await record(...good, { ...stale, rev: 2, status: 'active', roi: 100 }, { ...wrong, status: 'active' });
    await record({ ...ahead, rev: 9 }, revision(7));

    const waitForEvents = async () => false;
    const found = await verify({ ...deps, now: () => new Date(nowMs), waitForEvents });
    expect(found.facts.map(({ kind, id }) => [kind, id])).toEqual([
      ['stale', idOf(3)],
      ['wrong', idOf(4)],
      ['wrong', idOf(5)],
      ['missing', idOf(6)],
      ['extra', idOf(7)],
    ]);
    expect(found.figures).toContainEqual({
      ...{ period: '24h', type, figure: 'winners' },
      ...{ served: 0, recounted: 1 },
    });
    expect(found.figures).toContainEqual(
      expect.objectContaining({ period: 'all', type, figure: 'roiSum', served: 168n, recounted: 568n }),
    );

    expect(await rebuild(deps)).toEqual({ signals: 6, recorded: 4, removed: 1 });
    const mended = await verify({ ...deps, now: () => new Date(nowMs), waitForEvents });
    expect(mended).toMatchObject({ signals: 6, facts: [], figures: [], moving: [] });
  });

  it('`rebuild` fills in the all-time highs of facts that the version before recorded, and figures stay right', async () => {
    const type = 'new' as const;
    const all = Array.from({ length: 30 }, (_, n) =>
      revision(n, { type, athRoi: 10_000 * (1 + (n % 2)), timeToAth: 100 }),
    );
    signals(...all);
    for (const made of all.slice(0, 20)) await deps.facts.record({ ...factFrom(made), ath: undefined });
    await record(...all.slice(20));
    const told = async () => {
      const query: StatsQuery = { period: 'all', include: ['distribution'] };
      const { total_signals, distribution } = await getStatisticsWith(freshStatistics(), query);
      const { ath_signals, ath_roi, avg_time_to_ath_hours: hours } = distribution ?? {};
      return [total_signals, ath_signals, ath_roi?.p25, ath_roi?.p75, hours];
    };
    expect(await told()).toEqual([30, 10, 100, 200, 1]);
    expect(await run(['verify'])).toMatchObject({ status: 1, out: expect.stringContaining('no ath_roi') });

    // Figures are right before the recount, too, because facts were changed with their dirty flags.
    let counted: unknown;
    const recount = async () => {
      counted = await told();
    };
    expect(await rebuild({ ...deps, recount })).toEqual({ signals: 30, recorded: 20, removed: 0 });
    expect(counted).toEqual([30, 30, 100, 200, 1]);
    expect(await run(['verify'])).toMatchObject({ status: 0 });
  });

  it('`rebuild` can be run again after an interruption', async () => {
    signals(...Array.from({ length: 1_500 }, (_, n) => revision(n)));
    let pages = 0;
    const broken: SignalSource = {
      ...deps.source,
      page: (after) => (++pages === 2 ? Promise.reject(new Error('interrupted')) : deps.source.page(after)),
    };
    await expect(rebuild({ ...deps, source: broken })).rejects.toThrow('interrupted');
    expect(await rebuild(deps)).toEqual({ signals: 1_500, recorded: 500, removed: 0 });
  });

  it('`rebuild` does not change facts that arrive while it reads', async () => {
    signals(revision(1, { rev: 1 }));
    const newer = revision(1, { rev: 2, roi: 77 });
    const fresh = revision(2);
    const racing: SignalSource = {
      ...deps.source,
      page: async (after) => {
        const page = await deps.source.page(after);
        service.signals.splice(0, 1, newer, fresh);
        await record(newer, fresh);
        return page;
      },
    };
    expect(await rebuild({ ...deps, source: racing })).toEqual({ signals: 1, recorded: 0, removed: 0 });
    expect([await factAt(1), await factAt(2)]).toEqual([factFrom(newer), factFrom(fresh)]);
  });

  it('`verify` waits for events on their way', async () => {
    signals(revision(1, { rev: 2 }), revision(2));
    await record(revision(1, { rev: 1, roi: 1 }));
    const waitForEvents = async (attempt: number) => {
      if (attempt === 1) await record(revision(1, { rev: 2 }));
      else await record(revision(2));
      return attempt < 5;
    };
    const found = await verify({ ...deps, now: () => new Date(nowMs), waitForEvents });
    expect(found).toMatchObject({ facts: [], figures: [], moving: [] });
  });

  it('`verify` does not compare figures that change while it counts', async () => {
    signals(revision(1));
    await record(revision(1));
    let calls = 0;
    const moving: typeof deps.store = {
      ...deps.store,
      distributions: async (names, selection) => {
        const { totals, ...others } = await deps.store.distributions(names, selection);
        const more = { total: ++calls, winners: 0, roiSum: 0n, roiMax: 0 };
        return { ...others, totals: new Map(totals).set('premium', more) };
      },
    };
    const { figures, moving: left } = await verify({
      ...deps,
      store: moving,
      now: () => new Date(nowMs),
      waitForEvents: async () => false,
    });
    expect(figures).toEqual([]);
    expect(left).toContainEqual({ period: 'all', type: 'premium' });
  });

  it('`verify` prints wrong figures though the facts are right', async () => {
    signals(revision(1, { type: 'new' }));
    await record(revision(1, { type: 'new' }));
    const lying: typeof deps.store = {
      ...deps.store,
      distributions: async (names, selection) => ({
        ...(await deps.store.distributions(names, selection)),
        totals: new Map([['new', { total: 2, winners: 0, roiSum: 17n, roiMax: 17 }]] as const),
      }),
    };
    const { facts, figures } = await verify({
      ...deps,
      store: lying,
      now: () => new Date(nowMs),
      waitForEvents: async () => false,
    });
    expect(facts).toEqual([]);
    expect(figures).toContainEqual({
      ...{ period: 'all', type: 'new', figure: 'total' },
      ...{ served: 2, recounted: 1 },
    });
  });

  it('`verify` prints wrong figures of positions, and compares the others where positions are not counted yet', async () => {
    const type = 'new' as const;
    const all = [
      revision(1, { type, realizable: { roi: 9_505, exit: 'target' } }),
      revision(2, { type, realizable: { roi: -5_100, exit: 'stop' } }),
      revision(3, { type, realizable: { roi: 1, exit: 'open' } }),
      revision(4, { type }),
    ];
    signals(...all);
    await record(...all);
    const checks = { ...deps, now: () => new Date(nowMs), waitForEvents: async () => false };
    expect(await verify(checks)).toMatchObject({ facts: [], figures: [], moving: [], knowsPositions: true });

    const lying: typeof deps.store = {
      ...deps.store,
      distributions: async (names, selection) => {
        const { realizable, ...others } = await deps.store.distributions(names, selection);
        const own = realizable?.get(type);
        const more = own && { ...own, roiSum: own.roiSum + 1n, byExit: { ...own.byExit, stop: 7 } };
        return { ...others, realizable: new Map(more && [[type, more]]) };
      },
    };
    const { figures } = await verify({ ...checks, store: lying });
    expect(figures.filter(({ period }) => period === 'all')).toEqual([
      { period: 'all', type, figure: 'stop', served: 7, recounted: 1 },
      { period: 'all', type, figure: 'realizableSum', served: 4_407n, recounted: 4_406n },
    ]);

    const unknown: typeof deps.store = {
      ...deps.store,
      distributions: () => Promise.reject(unavailable('Realizable ROI')),
    };
    const work: StatsContext['work'] = (task) =>
      task({ ...deps, store: unknown, countUnknown: async () => undefined });
    expect(await verifyCommand.run({ args: [], work } as never)).toMatchObject({
      ...{ status: 3, text: expect.stringMatching(/figures equal, realizable ROI not compared/) },
      data: { facts: [], figures: [], moving: [], positions_compared: false },
    });
  });

  it('`verify` compares positions though the version before has counted everything', async () => {
    const realizable = { roi: 9_505, exit: 'target' } as const;
    const all = Array.from({ length: 60 }, (_, n) => revision(n, { realizable }));
    signals(...all);
    await record(...all);
    const { realizable: _unknown, ...distributions } = factAggregates.distributions ?? {};
    const before = openAggregates(connection, { ...factAggregates, distributions });
    await before.build();
    while (!(await before.refresh()));
    const { status, out } = await run(['verify', '--json']);
    expect([status, JSON.parse(out)]).toMatchObject([0, { figures: [], positions_compared: true }]);
  });

  it('`verify` finds, and `rebuild` fills in, the positions of facts that the version before recorded', async () => {
    const type = 'new' as const;
    const all = Array.from({ length: 30 }, (_, n) =>
      revision(n, {
        type,
        realizable: { roi: n % 2 === 0 ? 9_505 : -5_100, exit: n % 2 === 0 ? 'target' : 'stop' },
      }),
    );
    signals(...all);
    for (const made of all.slice(0, 20))
      await deps.facts.record({ ...factFrom(made), realizable: undefined });
    await record(...all.slice(20));
    const told = async () => {
      const query: StatsQuery = { period: 'all', include: ['realizable'] };
      const { realizable: { signals: having, profitable, by_exit } = {} } = await getStatisticsWith(
        freshStatistics(),
        query,
      );
      return [having, profitable, by_exit?.target, by_exit?.stop];
    };
    expect(await told()).toEqual([10, 50, 5, 5]);
    expect(await run(['verify'])).toMatchObject({
      status: 1,
      out: expect.stringMatching(/stale .*realizable 95.05 % target, .*no position/s),
    });
    expect(await rebuild(deps)).toEqual({ signals: 30, recorded: 20, removed: 0 });
    expect(await told()).toEqual([30, 50, 15, 15]);
    expect(await run(['verify'])).toMatchObject({ status: 0 });
  });

  it.each([
    ['an unknown command', ['recount'], {}, 2, /rebuild/],
    ['too much', ['verify', 'now'], {}, 2, /unexpected argument: now\nUsage: verify/],
    [
      'missing settings',
      ['verify'],
      { SIGNALS_URL: '', SIGNALS_TOKEN: '' },
      2,
      /SIGNALS_URL.*\n.*SIGNALS_TOKEN/,
    ],
    ['a refused token', ['rebuild'], { SIGNALS_TOKEN: 'nobody' }, 1, /signals:read/],
  ] as const)('say what is wrong with %s', async (_, args, env, status, message) => {
    expect(await run(args, env)).toMatchObject({ status, err: expect.stringMatching(message) });
  });
});
